import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newTeam, sessionOf } from "../support/team.ts";

/** The tables of a session's object that held something else under the same or another name in an earlier version. */
const earlier = [
  "CREATE TABLE stored_answer (hash TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE TABLE kept_answer (hash TEXT PRIMARY KEY, key TEXT NOT NULL, until INTEGER NOT NULL, basis TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE kept_generation (one INTEGER PRIMARY KEY, generation TEXT NOT NULL)",
  "CREATE TABLE mcp_event (session_id TEXT NOT NULL, seq INTEGER NOT NULL, message TEXT NOT NULL, PRIMARY KEY (session_id, seq)) WITHOUT ROWID",
];

test("a person is answered after an update whose session object has the tables of any earlier version [S13]", async () => {
  const { owner: ada } = await newTeam();
  await ada.call("omn_store_memory", { key: "k", content: "The lighthouse keeper likes marzipan." });
  const session = sessionOf(ada);
  await runInDurableObject(session, (_object, { storage: { sql } }) => {
    for (const { name } of sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%\\_answer' ESCAPE '\\'").toArray()) sql.exec(`DROP TABLE ${name}`);
    for (const table of earlier) sql.exec(table);
    sql.exec("INSERT INTO stored_answer (hash, until) VALUES ('h', 9999999999999)");
  });
  await evictDurableObject(session);
  for (let n = 0; n < 3; n += 1) expect((await ada.call("omn_retrieve_memory", { query: "lighthouse keeper" })).text).toContain("marzipan");
  await evictDurableObject(session);
  expect((await ada.call("omn_retrieve_memory", { query: "lighthouse keeper" })).text).toContain("marzipan");
});
