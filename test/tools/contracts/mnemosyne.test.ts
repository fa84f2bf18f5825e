import { describe } from "vitest";
import { mnemosyne } from "./mnemosyne.ts";
import { contractTests } from "./runner.ts";

describe("the Mnemosyne document, tool by tool [C1] [C2]", () => contractTests(mnemosyne));
