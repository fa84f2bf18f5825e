import { parseArgs } from "node:util";

export const rowNames = [
  "floor", "no-op", "auth", "bindings", "store", "get", "secrets", "query-small", "query-medium", "restore", "agents", "query-large",
  "crowded", "graph", "long", "import", "mixed", "restart", "cached", "log", "hostile", "peers", "bundle",
] as const;
export type RowName = (typeof rowNames)[number];

export interface Sizes {
  /** Memories of the team at the three query rows; the peers are filled with `peers`. */
  small: number;
  medium: number;
  large: number;
  peers: number;
  /** The import up to `large` is timed in steps of so many. */
  step: number;
  /** Memories of the two teams of which one has entities and relationships in its words. */
  graph: number;
  /** Long messages of a team. */
  long: number;
  /** Memories of other teams in the crowded shard, spread over `otherTeams`. */
  others: number;
  otherTeams: number;
  samples: number;
  warmUp: number;
  mixedMs: number;
  /** The replayed client log. */
  developers: number;
  conversations: number;
}

export interface Options {
  quick: boolean;
  fail: boolean;
  sizes: Sizes;
  wants: (...names: RowName[]) => boolean;
}

const full: Sizes = {
  small: 1_000, medium: 10_000, large: 100_000, peers: 5_000, step: 10_000, graph: 5_000, long: 450,
  others: 200_000, otherTeams: 20, samples: 300, warmUp: 100, mixedMs: 5_000,
  developers: 3, conversations: 3,
};

const quick: Sizes = {
  small: 200, medium: 1_000, large: 5_000, peers: 500, step: 1_000, graph: 500, long: 100,
  others: 10_000, otherTeams: 5, samples: 200, warmUp: 100, mixedMs: 2_000,
  developers: 3, conversations: 1,
};

export const usage = `npm run bench -- [--quick] [--only row,row] [--no-peers] [--no-fail]

  --quick     small sizes, about a minute: shows that everything works, not how fast it is
  --only      only these rows: ${rowNames.join(", ")}
  --no-peers  without the comparison with other memory servers (which npm fetches)
  --no-fail   report missed targets, exit 0 all the same`;

export function parseOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      "no-peers": { type: "boolean", default: false },
      "no-fail": { type: "boolean", default: false },
    },
  });
  const only = values.only?.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const unknown = only?.find((name) => !(rowNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`unknown row "${unknown}"`);
  const chosen = new Set<string>(only ?? rowNames);
  if (values["no-peers"]) chosen.delete("peers");
  return {
    quick: values.quick,
    fail: !values["no-fail"],
    sizes: values.quick ? quick : full,
    wants: (...names) => names.some((name) => chosen.has(name)),
  };
}
