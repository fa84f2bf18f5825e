/** `npm run guides`: writes docs/clients.md and the clients of README.md anew from their table. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { clientsPage, renewedReadme } from "./pages.ts";

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

writeFileSync(file("docs/clients.md"), clientsPage());
writeFileSync(file("README.md"), renewedReadme(readFileSync(file("README.md"), "utf8")));
