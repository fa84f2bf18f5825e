import { createServer } from "node:net";
import { codeOf, messageOf, StartFailure } from "./start-failure.ts";

/**
 * The server must not sit where a client waits for the answer to its sign-in, or where a development server starts: 8787 is
 * wrangler's port and Cursor's callback. This one IANA has assigned to nobody, no MCP client, OAuth callback or common tool
 * listens there, and it lies below the ports that systems give to outgoing connections (32768 on Linux, 49152 elsewhere).
 */
export const defaultPort = 26_366;

/**
 * The port that the server will listen on, known before anything is written or printed (0 becomes a free one). Closed
 * again at once: workerd opens the socket itself, and refuses to start should somebody be quicker (`PortTaken`).
 */
export function claimPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => reject(portFailure(host, port, error)));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });
}

export class PortTaken extends StartFailure {
  constructor(host: string, port: number, cause: unknown) {
    super(`Port ${port} on ${host} is taken by another program. Stop it, or choose another port: PORT=${port + 1} npm start`, { cause });
    this.name = "PortTaken";
  }
}

function portFailure(host: string, port: number, cause: unknown): StartFailure {
  switch (codeOf(cause)) {
    case "EADDRINUSE":
      return new PortTaken(host, port, cause);
    case "EACCES":
      return new StartFailure(`Port ${port} on ${host} is reserved by the system. Choose another port: PORT=${port === defaultPort ? defaultPort + 1 : defaultPort} npm start`, { cause });
    default:
      return new StartFailure(`Port ${port} on ${host} cannot be opened: ${messageOf(cause)}`, { cause });
  }
}
