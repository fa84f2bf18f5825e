import type * as Sqlite from "node:sqlite";

/** Node 22 warns that node:sqlite is experimental; the warning is for us, not for the user. */
export function sqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
