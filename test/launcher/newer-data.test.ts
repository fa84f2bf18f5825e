import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { StartFailure } from "../../src/launcher/start-failure.ts";
import { withShard } from "./directory-file.ts";
import { cleanUp, scratchDir } from "./launcher.ts";

const entry = fileURLToPath(new URL("./fixtures/worker.js", import.meta.url));
const patience = 120_000;
afterAll(cleanUp, patience);

const start = (dataDir: string): Promise<LocalServer> => startServer({ dataDir, port: 0, entry });
const names = (dataDir: string): string[] => withShard(dataDir, (db) => db.prepare("select name from d1_migrations order by id").all().map(({ name }) => String(name)));

test("data that a newer version wrote is refused in one line and left as it is [S13]", { timeout: patience }, async () => {
  const dataDir = scratchDir();
  await start(dataDir).then((server) => server.close());
  // As a version between this one and the newer one would find it: one that it lacks, one that it does not know.
  withShard(dataDir, (db) => db.exec("delete from d1_migrations where name like '0030%'; insert into d1_migrations (name) values ('9000_of_tomorrow.sql')"));
  const before = names(dataDir);
  // The mark says what the newer version prepared.
  const mark = `${dataDir}/state/d1/prepared`;
  const [, ...files] = readFileSync(mark, "utf8").split("\n");
  writeFileSync(mark, ["digest of tomorrow", ...files].join("\n"));

  const error = await start(dataDir).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartFailure);
  const { message } = error as StartFailure;
  expect(message).toMatch(/newer OmniMemory .*9000_of_tomorrow\.sql.*Nothing was changed.*npm start$/);
  expect(message).not.toContain("\n");
  expect(names(dataDir)).toEqual(before);
});

test("what two withdrawn migrations left in a database is dropped, and no reason to refuse it [S13]", { timeout: patience }, async () => {
  const dataDir = scratchDir();
  await start(dataDir).then((server) => server.close());
  withShard(dataDir, (db) => db.exec(`delete from d1_migrations where name like '0030%';
    insert into d1_migrations (name) values ('0030_tallies.sql'), ('0031_tally_triggers.sql');
    create table tag_tallies (team_id text, tag text);
    create trigger tags_tallied after insert on memories begin insert into tag_tallies select new.team_id, t.value from json_each(new.tags) t; end`));
  writeFileSync(`${dataDir}/state/d1/prepared`, "digest of that hour");

  await start(dataDir).then((server) => server.close());
  expect(withShard(dataDir, (db) => db.prepare("select name from sqlite_schema where name like '%tall%'").all())).toEqual([]);
});
