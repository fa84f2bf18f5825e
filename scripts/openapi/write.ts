/** `npm run openapi`: writes docs/openapi.json anew from the schemas that the routes parse with. */
import { writeFileSync } from "node:fs";
import { generated } from "./generate.ts";

writeFileSync(new URL("../../docs/openapi.json", import.meta.url), await generated());
