import { build, type BuildOptions, type BuildResult, stop } from "esbuild";

let building = 0;

/**
 * esbuild keeps a helper process for the next build, which ends here with the last one that runs: stopped under another
 * build, it leaves that one waiting for ever. Whoever may build while a server starts in the same process builds here.
 */
export async function bundle<T extends BuildOptions>(options: T): Promise<BuildResult<T>> {
  building += 1;
  try {
    return await build<T>(options as Parameters<typeof build<T>>[0]);
  } finally {
    building -= 1;
    if (building === 0) await stop();
  }
}
