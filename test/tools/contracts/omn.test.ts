import { describe } from "vitest";
import { omn } from "./omn.ts";
import { contractTests } from "./runner.ts";

describe("the OmniMemory document, tool by tool [A1] [A4] [A6] [A7]", () => contractTests(omn));
