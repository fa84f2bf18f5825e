import { logFault } from "../http/log.ts";
import { D1ErasureDirectory } from "../platform/d1/erasure-directory.ts";
import { D1DirectoryStore } from "../platform/d1/directory-store.ts";
import { VectorizeBindings } from "../platform/vectorize/bindings.ts";
import { VectorizeIndex } from "../platform/vectorize/vectorize-index.ts";
import { type Storage, storageOf } from "./storage.ts";

/** What more than one area is built on. */
export interface Base extends Storage {
  directory: D1DirectoryStore;
  erasureDirectory: D1ErasureDirectory;
  vectorBindings: VectorizeBindings;
  vectorIndex: VectorizeIndex;
  /** Notes a fault that nobody's request met. */
  report(event: string, error: unknown): void;
}

export function baseOf(env: Env): Base {
  const report = (event: string, error: unknown): void => logFault(event, "", error);
  const vectorBindings = VectorizeBindings.of(env);
  return {
    ...storageOf(env),
    directory: new D1DirectoryStore(env.DB),
    erasureDirectory: new D1ErasureDirectory(env.DB),
    vectorBindings,
    vectorIndex: new VectorizeIndex(vectorBindings, env.TEAM_INDEX, report),
    report,
  };
}
