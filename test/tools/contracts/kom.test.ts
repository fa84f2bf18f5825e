import { describe } from "vitest";
import { kom } from "./kom.ts";
import { contractTests } from "./runner.ts";

describe("the Kompanion document, tool by tool [E1] [E2]", () => contractTests(kom));
