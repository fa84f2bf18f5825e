import { describe } from "vitest";
import { memory } from "./memory.ts";
import { contractTests } from "./runner.ts";

describe("the memory-server document, tool by tool [D1] [D6]", () => contractTests(memory));
