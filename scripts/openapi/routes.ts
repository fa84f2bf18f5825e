import { memoryRoutes } from "./memory-routes.ts";
import type { Routes } from "./route.ts";
import { teamRoutes } from "./team-routes.ts";
import { toolRoutes } from "./tool-routes.ts";

/** Every route of the REST interface, and what else programs ask for, as `METHOD /path/:parameter`. */
export const routes: Routes = { ...teamRoutes, ...memoryRoutes, ...toolRoutes };
