/**
 * Arguments and answers of each tool by its name. Any tool and any object here; the package carries in the place of this file what
 * `scripts/package` writes from the tools' own schemas, so that a wrong argument does not compile.
 */
export interface Tools {
  [tool: string]: { input: Record<string, unknown>; output: Record<string, unknown> };
}
