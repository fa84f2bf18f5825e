/** `npm run requirements`: each row of test/requirements.ts with the tests that cite it, or "not yet". */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { requirements } from "../test/requirements.ts";

export interface Citation {
  readonly id: string;
  /** Relative to the project, with forward slashes. */
  readonly file: string;
  readonly title: string;
  /** Inside `.skip` or `.todo`: the id must exist, but nothing is shown. */
  readonly skipped: boolean;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const marker = /\[([A-Z][0-9]+)\]/g;
const trailingMarkers = /(?:\s*\[[A-Z][0-9]+\])+$/;
const testFunctions = new Set(["test", "it", "describe", "suite", "bench"]);

/** Every test's markers, in the order of files and lines. */
export function citationsUnder(folder: string, base: string = root): Citation[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.split(sep).includes("node_modules"))
    .map((name) => join(folder, name))
    .sort()
    .flatMap((path) => citationsIn(readFileSync(path, "utf8"), relative(base, path).split(sep).join("/")));
}

/**
 * Two places count: anywhere in the title of a test or describe, and the end of any other text, so that
 * runs without vitest (conformance, bench) and tables of titles can cite as well.
 */
export function citationsIn(source: string, file: string): Citation[] {
  const found: Citation[] = [];
  const cite = (title: string, markers: string, skipped: boolean): void => {
    for (const [, id = ""] of markers.matchAll(marker)) found.push({ id, file, title, skipped });
  };
  const visit = (node: ts.Node, skipped: boolean): void => {
    if (ts.isCallExpression(node)) {
      const call = testCall(node.expression);
      const title = call && node.arguments[0];
      if (call && title && isText(title)) {
        const inside = skipped || call.skipped;
        cite(textOf(title), textOf(title), inside);
        visit(node.expression, inside);
        for (const argument of node.arguments.slice(1)) visit(argument, inside);
        return;
      }
    }
    if (isText(node)) cite(textOf(node), trailingMarkers.exec(textOf(node))?.[0] ?? "", skipped);
    ts.forEachChild(node, (child) => visit(child, skipped));
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest), false);
  return found;
}

/** `test`, `describe.skip`, `test.each(table)`, `test.skipIf(condition)` … */
function testCall(callee: ts.Expression): { skipped: boolean } | undefined {
  let skipped = false;
  let at = callee;
  for (;;) {
    if (ts.isIdentifier(at)) return testFunctions.has(at.text) ? { skipped } : undefined;
    if (ts.isPropertyAccessExpression(at)) {
      skipped ||= at.name.text === "skip" || at.name.text === "todo";
      at = at.expression;
    } else if (ts.isCallExpression(at)) at = at.expression;
    else if (ts.isTaggedTemplateExpression(at)) at = at.tag;
    else return undefined;
  }
}

type Text = ts.StringLiteralLike | ts.TemplateExpression;
const isText = (node: ts.Node): node is Text => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
const textOf = (node: Text): string =>
  ts.isTemplateExpression(node) ? node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join("") : node.text;

/** The lines `npm run requirements` prints. */
export function report(citations: readonly Citation[]): string[] {
  const lines: string[] = [];
  let shown = 0;
  let section = "";
  for (const row of requirements) {
    if (row.section !== section) lines.push(...(section ? [""] : []), row.section);
    section = row.section;
    const tests = [...new Set(citations.filter((c) => c.id === row.id && !c.skipped).map((c) => `${c.file}: ${c.title}`))];
    if (tests.length > 0) shown += 1;
    lines.push(`  ${row.id.padEnd(4)}${row.title}`, ...(tests.length > 0 ? tests : ["not yet"]).map((line) => `        ${line}`));
  }
  return [...lines, "", `${shown} of ${requirements.length} requirements have tests, ${requirements.length - shown} not yet`];
}

/** One line for each cited id that no row has. */
export function unknownIds(citations: readonly Citation[]): string[] {
  const known = new Set(requirements.map((row) => row.id));
  return citations
    .filter((citation) => !known.has(citation.id))
    .map((citation) => `${citation.file} cites ${citation.id}, which test/requirements.ts does not have ("${citation.title}")`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const citations = citationsUnder(join(root, "test"));
  console.log(report(citations).join("\n"));
  for (const line of unknownIds(citations)) {
    console.error(line);
    process.exitCode = 1;
  }
}
