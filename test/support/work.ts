import { env } from "cloudflare:workers";

/**
 * What the server did for one answer: statements to the directory in their order, and how many digests it took. Not the
 * audit, which is written after the answer.
 */
export interface Work {
  statements: string[];
  digests: number;
}

let watching: Work | undefined;

type AnyFunction = (...args: unknown[]) => unknown;

/** Put on the object that everybody uses, once. */
function noted(holder: object, method: string, note: (work: Work, first: unknown) => void): void {
  const held = holder as Record<string, AnyFunction>;
  const real = held[method] as AnyFunction;
  held[method] = (...args) => {
    if (watching) note(watching, args[0]);
    return Reflect.apply(real, holder, args);
  };
}

noted(env.DB, "prepare", (work, sql) => {
  if (!String(sql).startsWith('insert into "audit"')) work.statements.push(String(sql));
});
noted(crypto.subtle, "digest", (work) => void (work.digests += 1));

export async function workOf(ask: () => Promise<Response>): Promise<Work & { status: number; text: string }> {
  const work: Work = { statements: [], digests: 0 };
  watching = work;
  try {
    const answer = await ask();
    return { ...work, status: answer.status, text: await answer.text() };
  } finally {
    watching = undefined;
  }
}
