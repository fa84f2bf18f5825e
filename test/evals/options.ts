import { parseArgs } from "node:util";
import { join } from "node:path";
import { projectRoot } from "../bench/server.ts";

export const setNames = ["teams", "stacks", "locomo", "devmem", "precision", "guard", "relations", "duplicates", "facts", "enrichment", "compression", "resume", "stream"] as const;
export type SetName = (typeof setNames)[number];

export interface Options {
  sets: SetName[];
  /** Every leg off in turn, after the figures with all of them. */
  variants: boolean;
  check: boolean;
  /** Hold what was reached so far instead of what is wanted. */
  held: boolean;
  /** Questions per conversation or set, for a quick look; the figures then say little. */
  limit: number | undefined;
  dataDir: string;
  json: string | undefined;
  misses: string | undefined;
}

export const usage = `npm run eval -- [--only set,set] [--variants] [--check [--held]] [--limit N] [--data DIR] [--json FILE] [--misses FILE]

  --only      only these sets: ${setNames.join(", ")}
  --variants  each figure also by text or vectors alone, and with each leg off
  --check     exit code 1 when a target is missed
  --held      with --check: compare with what was reached so far, not with the targets
  --limit     at most N questions of each conversation or set
  --data      where the data sets are (default: shared/eval/data beside the project)
  --json      all figures, for programs
  --misses    the questions that were missed, one JSON object a line; of guard, relations, duplicates and enrichment the entries of the half that is not held`;

export function parseOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: "string" },
      variants: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      held: { type: "boolean", default: false },
      limit: { type: "string" },
      data: { type: "string" },
      json: { type: "string" },
      misses: { type: "string" },
    },
  });
  const limit = values.limit === undefined ? undefined : Number(values.limit);
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) throw new Error("--limit must be a whole number above 0");
  return {
    sets: values.only === undefined ? [...setNames] : values.only.split(",").map(setNamed),
    variants: values.variants,
    check: values.check,
    held: values.held,
    limit,
    dataDir: values.data ?? join(projectRoot, "../shared/eval/data"),
    json: values.json,
    misses: values.misses,
  };
}

function setNamed(text: string): SetName {
  const found = setNames.find((name) => name === text.trim());
  if (found === undefined) throw new Error(`unknown set "${text}"`);
  return found;
}
