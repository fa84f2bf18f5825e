import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port nobody listens on, for a server that starts later or is started again. Below the ports that systems give to outgoing
 * connections (32768 and up on Linux, 49152 on others), so that none of those takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_768);
  return (await isFree(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
