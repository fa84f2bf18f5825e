import { expect } from "vitest";
import { send } from "../http/raw.ts";
import type { Principal } from "./model.ts";
import type { Answer, TestServer } from "./test-server.ts";

/** What is asked over REST by a key, below the path of its team. */
export async function rest(server: TestServer, p: Principal, method: string, path: string, body: unknown = ""): Promise<Answer> {
  const response = await send({ token: p.token, method, path: `/v1/teams/${p.team}${path}`, body });
  const raw = new TextDecoder().decode(await response.arrayBuffer());
  const isJson = (response.headers.get("content-type") ?? "").includes("application/json");
  const structured = (isJson ? JSON.parse(raw) : {}) as Record<string, unknown>;
  const { error } = structured as { error?: { code: string } };
  const outcome = `${method} ${path.replace(/\?.*/, "").replaceAll(/(?<=jobs\/)[0-9a-f]{8}-[0-9a-f-]{27}|(?<=issuers\/).*/g, ":id")} ${response.status}`;
  server.answered.set(outcome, (server.answered.get(outcome) ?? 0) + 1);
  return { status: response.status, raw, structured, text: "", isError: error !== undefined, code: error?.code };
}

/** What differs between any two refusals, and what the caller said itself. */
const normal = ({ raw }: Answer, said: string): string => raw.replaceAll(said, "<it>").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>").replaceAll(/"request_id\\*":\\*"[^"\\]*\\*"/g, "<request>");

/** Answered to the letter as what nobody has. */
export function expectAlike(hidden: Answer, said: string, absent: Answer, invented: string): void {
  expect(hidden.status).toBe(absent.status);
  expect(normal(hidden, said), "hidden is answered as absent").toBe(normal(absent, invented));
}
