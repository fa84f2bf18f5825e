import { type Named, serverOf } from "../server.ts";
import { clients } from "./clients.ts";
import { discover, signIn } from "./oauth.ts";
import { initialize, session } from "./session.ts";
import { type Answer, Failed, type Finding, fine, note } from "./step.ts";

export interface Asked {
  /** A person signs in with the browser, as a client has them do. */
  signIn: boolean;
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
}

/** Largest difference of two clocks with which tokens, which last an hour, still do, ms. */
const clockMs = 120_000;

/**
 * Does what a client does to connect, one step after the other, and says of each whether it works and what to do where it does not. Answers whether all does.
 * Users' list, point 11.
 */
export async function doctor(named: Named, { signIn: signsIn, folder, env, print }: Asked): Promise<boolean> {
  let isWell = true;
  const tell = ({ state, what, hint }: Finding): void => {
    isWell &&= state !== "FAIL";
    print(`${state.padEnd(6)}${what}${hint === undefined ? "" : `\n      ${hint}`}`);
  };
  const { origin, key } = serverOf(named, env);
  const endpoint = `${origin}/mcp`;
  /** What the steps came to; undefined where one failed. */
  const steps = async <Result>(findings: AsyncGenerator<Finding, Result>): Promise<Result | undefined> => {
    try {
      for (;;) {
        const { done, value } = await findings.next();
        if (done) return value;
        tell(value);
      }
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      tell(error.finding);
      return undefined;
    }
  };
  const refused = await steps(knock(endpoint));
  if (!refused) return false;
  const known = await steps(discover(endpoint, refused));
  if (known && signsIn) await steps(signIn(known, (url) => print(`      Open this in a browser on this machine:\n      ${url}`)));
  else if (known) tell(note("Signing in was not tried: --sign-in does it with your browser."));
  if (key === undefined) tell(note("No key is known here (OMNIMEMORY_KEY), so none was tried."));
  else await steps(session(endpoint, key, "The key", "It is mistyped, expired or revoked, or of another server: make one on the server's page (Keys), and set OMNIMEMORY_KEY."));
  await steps(clients(origin, env, folder));
  return isWell;
}

/** What a client without a credential is told. @throws Failed where that is not to come back with one */
async function* knock(endpoint: string): AsyncGenerator<Finding, Answer> {
  const { protocol, hostname, host, origin } = new URL(endpoint);
  const answer = await initialize(endpoint);
  const { status, headers, text } = answer;
  if (status === 403 && /host/i.test(text)) throw new Failed(`The server does not know itself as ${host}.`, "Use the name that it prints, or add this one to ALLOWED_HOSTS (docs/configuration.md).");
  if (status >= 300 && status < 400) throw new Failed(`${endpoint} leads on to ${headers.get("location") ?? "another place"}.`, "Clients lose their key on the way: use that URL.");
  if (status === 429) throw new Failed("The server asks this machine to wait.", `Try again in ${headers.get("retry-after") ?? "60"} s.`);
  if (status !== 401) throw new Failed(`${endpoint} answers a stranger with ${status}, and not with 401.`, status >= 500 ? "Look at the server's log; its health is at /health." : "Something else answers there: look at the URL, and at what stands before the server.");
  if (protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(hostname)) throw new Failed(`${endpoint} is not https.`, "A key that crosses a network in the clear is everybody's: put the server behind https.");
  yield fine(`${origin} answers, and asks who is there`);
  const apart = Math.abs(Date.now() - Date.parse(headers.get("date") ?? ""));
  if (apart > clockMs) yield note(`The clocks of this machine and of the server are ${Math.round(apart / 1_000)} s apart: what expires does so early or late.`);
  return answer;
}
