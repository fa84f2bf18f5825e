import { env } from "cloudflare:workers";

type AnyFunction = (...args: unknown[]) => unknown;
/** Stands where a method of a binding was; `real` does what the method did. */
type Instead = (real: AnyFunction, args: unknown[], method: string) => unknown;

/** How a part is out of order. */
export type Trouble = "down" | "hangs" | "flaky";

const down = (): never => {
  throw new Error("out of order for the test");
};
/** Longer than anybody waits. */
const hangs = (): Promise<never> => scheduler.wait(12_000).then(down);

let struck = 0;
/** How many calls met a broken part since this was asked last. */
export function takeStruck(): number {
  const count = struck;
  struck = 0;
  return count;
}

let turn = 0;
const behaviours: Record<Trouble, Instead> = {
  down: async () => down(),
  hangs: () => hangs(),
  // Refused, lost after it was done, late or well, in turn.
  flaky: async (real, args) => {
    turn += 1;
    if (turn % 4 === 0) down();
    if (turn % 4 === 1) {
      await real(...args);
      down();
    }
    if (turn % 4 === 2) await scheduler.wait(100);
    return real(...args);
  },
};

function struckBy(trouble: Trouble): Instead {
  return (...call) => {
    struck += 1;
    return behaviours[trouble](...call);
  };
}

/** By binding: what is to happen instead, while it is broken. */
const broken = new Map<object, Instead>();

/**
 * All users of a binding share the object, so a method put on it is the one they call. It is put there once and stays: where
 * the runtime's own method was called before, a place that calls it may go on doing so whatever is put on the object later.
 */
function interceptable(binding: object, methods: string[]): void {
  const held = binding as Record<string, AnyFunction>;
  for (const method of methods) {
    const real = held[method] as AnyFunction;
    const call: AnyFunction = (...args) => Reflect.apply(real, binding, args);
    held[method] = (...args) => {
      const instead = broken.get(binding);
      return instead ? instead(call, args, method) : call(...args);
    };
  }
}

interceptable(env.TEAM_INDEX, ["getByName"]);
interceptable(env.VECTORIZE, ["query", "upsert", "getByIds", "deleteByIds"]);
interceptable(env.AI, ["run"]);
interceptable(env.JOBS, ["send"]);
interceptable(env.CACHE, ["get", "put"]);
interceptable(env.SHARD_0, ["prepare", "batch"]);

function replace(binding: object, instead: Instead): () => void {
  broken.set(binding, instead);
  return () => void broken.delete(binding);
}

/** The index objects, or those of names that begin so; for all calls or for those named. */
export function breakIndex(trouble: Trouble, { methods, of = "" }: { methods?: string[]; of?: string } = {}): () => void {
  const instead = struckBy(trouble);
  return replace(env.TEAM_INDEX, (real, args) => {
    const stub = real(...args) as Record<string, AnyFunction>;
    if (!String(args[0]).startsWith(of)) return stub;
    return new Proxy(stub, {
      get: (_, method: string) => {
        const call: AnyFunction = (...handedOn) => (stub[method] as AnyFunction)(...handedOn);
        return methods && !methods.includes(method) ? call : (...handedOn: unknown[]) => instead(call, handedOn, method);
      },
    });
  });
}

export const breakVectorize = (trouble: Trouble): (() => void) => replace(env.VECTORIZE, struckBy(trouble));
export const breakEmbedder = (trouble: Trouble): (() => void) => replace(env.AI, struckBy(trouble));
export const breakQueue = (trouble: Trouble): (() => void) => replace(env.JOBS, struckBy(trouble));
export const breakKv = (trouble: Trouble): (() => void) => replace(env.CACHE, struckBy(trouble));

const graphTables = /\b(?:entities|entity_mentions|entity_tokens|relationships|relationship_mentions|relationship_tokens|graph_outbox)\b/;

/** Whatever statement names the graph fails as it does where a table is missing. */
export const breakGraph = (): (() => void) =>
  replace(env.SHARD_0, (real, [sql], method) => {
    if (method !== "prepare" || !graphTables.test(String(sql))) return real(sql);
    struck += 1;
    return real("SELECT * FROM the_graph_is_away");
  });

/** The batches that write memories, whoever sends them; all others go on. */
export const breakCommits = (instead: (commit: () => Promise<unknown>) => Promise<unknown>): (() => void) =>
  replace(env.SHARD_0, (real, args, method) => {
    const [statements] = args as [{ statement: string }[]];
    if (method !== "batch" || !statements[0]?.statement.startsWith("INSERT INTO counters")) return real(...args);
    struck += 1;
    return instead(async () => real(...args));
  });

/** D1 refuses, or commits and loses the answer, in turn with commits that go well. */
export const breakCommitsNowAndThen = (): (() => void) => breakCommits((commit) => behaviours.flaky(commit, [], "batch") as Promise<unknown>);
