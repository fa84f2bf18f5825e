import type * as Sqlite from "node:sqlite";

/** Node 22 announces that node:sqlite is experimental; that is ours to know, not the user's. */
export function sqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
