import { build, stop } from "esbuild";

let building = 0;

/**
 * esbuild keeps a helper process for the next build, which ends here with the last one that runs: stopped under another
 * build, it leaves that one waiting for ever. Whoever may build while a server starts in the same process builds here.
 */
export const bundle: typeof build = async (options) => {
  building += 1;
  try {
    return await build(options);
  } finally {
    building -= 1;
    if (building === 0) await stop();
  }
};
