import { describe } from "vitest";
import { tokenSaver } from "./token-saver.ts";
import { contractTests } from "./runner.ts";

describe("the Token Saver document, tool by tool [B1] [B2]", () => contractTests(tokenSaver));
