// What `npm start` runs. Plain JavaScript, because a Node that is too old must be able to read the line below before it
// meets TypeScript that it cannot parse.
const oldest = [22, 18];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `OmniMemory needs Node ${oldest.join(".")} or newer, this is ${process.versions.node}. "npm ci" brings one, and "npm start" uses it; a service manager starts node_modules/.bin/node src/launcher/start.mjs\n`,
  );
  process.exit(1);
}
// Before any of it is loaded: Miniflare's 6 MB compile once, and the types are stripped once, for all starts to come.
const { enableCompileCache } = await import("node:module");
const { fileURLToPath } = await import("node:url");
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/omnimemory/compiled", import.meta.url)));
await import("./start.ts");
