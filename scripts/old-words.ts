/**
 * `npm run lint`: fails where a word comes back that docs/glossary.md replaced with a standard term. Identifiers are checked in
 * all code; the words for comments also in documents.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Old identifier -> standard term. Only names that have no other meaning here. */
export const identifiers: Readonly<Record<string, string>> = {
  Remembered: "TtlCache",
  keptMs: "cachedAnswerMs", keptShape: "cachedAnswerShape", KeptAnswer: "CachedAnswer", parseKept: "parseCachedAnswer", recallCached: "cachedRecall",
  calledIn: "matchAliases", sameBits: "aliasBits",
  Sayings: "TextSignature", sayings: "textSignature", sayingsOf: "comparableText", Shelf: "NearDuplicateIndex", tellingHashes: "rareWordHashes",
  Drawn: "GraphHit", drawnBy: "graphHitsOf", nearBy: "nearHitsOf", drawGraph: "extractGraph", NearParts: "NearConcepts",
  mostTelling: "maxSourceMemories", tellingWords: "maxRareTokenNames", maxTold: "maxMatchedIdf",
  mayAnswer: "isAnswerable", nearTheNearest: "vectorModeThreshold",
  lent: "contextTerms", lentShare: "contextShare", lenders: "contextNeighbours", borrowers: "dependents",
  searchParts: "searchFeatures", SearchPart: "SearchFeature", graphParts: "graphFields",
  concealed: "redacted", withheld: "redaction", Withheld: "Redaction", legible: "assertReadable",
  mend: "hint",
  homeOf: "visibilityKeyOf", HomeChange: "VisibilityChange",
  TeamHome: "TeamRef", TeamPlace: "TeamRef", TeamHomes: "TeamLookup", Seat: "MemberRef", GrantSubject: "MemberRef",
  WaysIn: "SignInMethods", stranded: "needsSignInMethod", Refusable: "AuditSubject", refusable: "auditSubject",
  announcedKeys: "keysWithInvalidation", announcedGrants: "grantsWithInvalidation", announcedRecords: "recordsWithInvalidation",
  announcedTenants: "tenantsWithInvalidation", announcedDeletion: "deletionWithInvalidation", SessionAnnouncements: "SessionInvalidation",
  Announcer: "IndexingQueue", QueueAnnouncer: "CloudflareIndexingQueue", announcedWrites: "writesWithIndexing",
  Pace: "RunLimits", Track: "CursorKey", untilWon: "retryOnConflict", WriteRace: "WriteConflict",
  sayers: "findSourcesOf", Town: "TestTeams", onlookers: "observers",
  HomePage: "AccountPage",
};

/** What comments and documents no longer say -> what they say instead. */
export const phrases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:lends?|lent|lending|borrows?|borrowed|borrowing)\b/i, "context: neighbours' terms"],
  [/\bsayings\b/i, "signature"],
  [/\bmend(?:s|ed|ing)?\b/i, "hint, repair"],
  [/\bunheard\b/i, "pending, or: nobody waits for it"],
  [/\b(?:concealed|withheld)\b/i, "redacted"],
  [/\bwrite race\b/i, "write conflict"],
  [/\b(?:home|start) page\b/i, "account page"],
];

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** Data and samples: texts of others, and this list. */
const excepted = /^(?:scripts\/old-words\.ts|test\/old-words\.test\.ts|docs\/glossary\.md|src\/domain\/text\/token-ranks\.ts|src\/worker-configuration\.d\.ts)$/;

export function oldWordsIn(source: string, file: string): Finding[] {
  if (excepted.test(file)) return [];
  return file.endsWith(".md") ? inText(source, file, 1) : inCode(source, file);
}

function inText(text: string, file: string, firstLine: number): Finding[] {
  return text.split("\n").flatMap((line, i) =>
    phrases.flatMap(([pattern, instead]) => {
      const word = pattern.exec(line)?.[0];
      return word === undefined ? [] : [{ file, line: firstLine + i, word, instead }];
    }),
  );
}

function inCode(source: string, file: string): Finding[] {
  const found: Finding[] = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const lineOf = (position: number): number => tree.getLineAndCharacterOfPosition(position).line + 1;
  const seen = new Set<number>();
  const visit = (node: ts.Node): void => {
    const comments = [...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []), ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? [])];
    for (const { pos, end } of comments) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      found.push(...inText(source.slice(pos, end), file, lineOf(pos)));
    }
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const word = node.text.replace(/^#/, "");
      if (Object.hasOwn(identifiers, word)) found.push({ file, line: lineOf(node.getStart(tree)), word, instead: identifiers[word] as string });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = execFileSync("git", ["ls-files", "src", "test", "scripts", "docs", "*.md"], { encoding: "utf8" }).split("\n");
  const found = files.filter((file) => /\.(?:tsx?|md)$/.test(file)).flatMap((file) => oldWordsIn(readFileSync(file, "utf8"), file));
  for (const { file, line, word, instead } of found) console.error(`${file}:${line}: "${word}" -> ${instead} (docs/glossary.md)`);
  if (found.length > 0) process.exitCode = 1;
}
