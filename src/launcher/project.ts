import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

/** Made from the sources, never from anybody's data; may be deleted at any time. */
export const cacheDir = join(projectRoot, "node_modules", ".cache", "omnimemory");
