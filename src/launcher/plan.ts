import { createHash } from "node:crypto";
import { join } from "node:path";
import { shardName } from "../domain/tenancy/shard-name.ts";
import { type Migration, readMigrations } from "./migrations.ts";
import { projectRoot } from "./project.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** The contents that the databases must have before the Worker can answer. */
export interface Plan {
  directory: { binding: string; migrations: Migration[] };
  shards: { bindings: string[]; migrations: Migration[] };
  /** Digest of all the above: the same digest, nothing to do. */
  digest: string;
}

export function planFor(worker: WorkerOptions): Plan {
  const migrations = (name: string): Migration[] => readMigrations(join(projectRoot, "migrations", name));
  const directory = { binding: "DB", migrations: migrations("directory") };
  const shards = { bindings: Object.keys(worker.d1Databases).filter((name) => shardName.test(name)), migrations: migrations("shard") };
  return { directory, shards, digest: createHash("sha256").update(JSON.stringify([directory, shards])).digest("hex") };
}
