import type { Prompt } from "../../../define-prompt.ts";
import { debugHelp } from "./debug-help.ts";
import { documentCode } from "./document-code.ts";
import { explainCode } from "./explain-code.ts";
import { findSimilar } from "./find-similar.ts";
import { implementFeature } from "./implement-feature.ts";
import { reviewChanges } from "./review-changes.ts";
import { suggestRefactor } from "./suggest-refactor.ts";
import { writeTests } from "./write-tests.ts";

/** The prompts of the OmniMemory document, in its order. */
export const omnPrompts: readonly Prompt[] = [explainCode, findSimilar, suggestRefactor, debugHelp, implementFeature, reviewChanges, writeTests, documentCode];
