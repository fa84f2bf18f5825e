import { sha256Hex } from "../hash.ts";
import { generalise } from "./generalise.ts";
import { maxOrder, type Trail } from "./sequence.ts";

/** Id of a command in its general form. The same command is another action in another project. */
export const actionOf = async (project: string, command: string): Promise<string> => (await sha256Hex(`${project}\0${command}`)).slice(0, 12);

const failure = " (failed)";

/** A step as people and models name it: its command, and whether it failed. */
const spoken = (command: string, success: boolean): string => (success ? command : `${command}${failure}`);

/** Nothing where the command is not known any more. */
export function spokenIn(commands: ReadonlyMap<string, string>, action: string, success: boolean): string[] {
  const command = commands.get(action);
  return command === undefined ? [] : [spoken(command, success)];
}

/** The last of these steps, as they are spoken of, oldest first. */
export const readContext = (project: string, steps: readonly string[]): Promise<Trail> =>
  Promise.all(
    steps.slice(-maxOrder).map(async (said) => {
      const success = !said.endsWith(failure);
      return { action: await actionOf(project, generalise(success ? said : said.slice(0, -failure.length))), success, durationMs: null };
    }),
  );
