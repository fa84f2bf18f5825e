import { BodyLease, ByteBudget } from "../../session/byte-budget.ts";
import { readText } from "../bounded-body.ts";

/** Of a file that somebody sends. */
export const maxFileBytes = 8 * 1024 * 1024;
const withinMs = 60_000;

/** All files that an isolate works on: a parsed one takes several times its bytes. */
const files = new ByteBudget(2 * maxFileBytes, 10_000);

/** Reads the text of a file and works with it, when there is room for it. `isLong`: asked before a long one is read. @throws RequestRefused */
export async function withFile<T>(request: Request, isLong: () => Promise<void>, work: (text: string) => Promise<T>): Promise<T> {
  const lease = new BodyLease([files]);
  const reserve = async (bytes: number): Promise<void> => {
    await lease.take(bytes);
    await isLong();
  };
  try {
    return await lease.during(async () => work(await readText(request, { maxBytes: maxFileBytes, withinMs, reserve })));
  } finally {
    lease.release();
  }
}
