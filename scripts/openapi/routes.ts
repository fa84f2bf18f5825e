// First, so that the modules of the tools, some of which need each other, are loaded in the order of the catalogue.
import { toolRoutes } from "./tool-routes.ts";
import { memoryRoutes } from "./memory-routes.ts";
import type { Routes } from "./route.ts";
import { teamRoutes } from "./team-routes.ts";

/** Every route of the REST interface, and what else programs ask for, as `METHOD /path/:parameter`. */
export const routes: Routes = { ...teamRoutes, ...memoryRoutes, ...toolRoutes };
