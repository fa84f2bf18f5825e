import type { Family } from "../../define-family.ts";
import { renderError } from "../../errors.ts";
import { compressText } from "./compress-text.ts";
import { consolidateTool } from "./consolidate.ts";
import { exportMemoriesTool } from "./export-memories.ts";
import { forgetMemory } from "./forget-memory.ts";
import { getStats } from "./get-stats.ts";
import { healthCheck } from "./health-check.ts";
import { importMemoriesTool } from "./import-memories.ts";
import { listMemories } from "./list-memories.ts";
import { oneMemory, recentMemories } from "./memory-resources.ts";
import { healthCard, memoryHealth } from "./memory-health.ts";
import { memoryStats } from "./memory-stats.ts";
import { omnPrompts } from "./prompts/index.ts";
import { ownPreferences, preferencesOf } from "./preference-resources.ts";
import { projectResource } from "./project-resource.ts";
import { recordWorkflowStep } from "./record-workflow-step.ts";
import { retrieveMemory } from "./retrieve-memory.ts";
import { revertTool } from "./revert.ts";
import { createSessionTool } from "./sessions/create-session.ts";
import { exportSessionTool } from "./sessions/export-session.ts";
import { endSessionTool } from "./sessions/end-session.ts";
import { getSessionContext } from "./sessions/get-session-context.ts";
import { migrateSessionTool } from "./sessions/migrate-session.ts";
import { conversationHistory, currentSession } from "./sessions/session-resources.ts";
import { restoreSessionTool } from "./sessions/restore-session.ts";
import { storeMemory } from "./store-memory.ts";
import { suggestNextAction } from "./suggest-next-action.ts";
import { updateMemory } from "./update-memory.ts";
import { workflowCheckpoint } from "./workflow-checkpoint.ts";
import { commonPatterns, getWorkflowPatterns, onePattern } from "./workflow-patterns.ts";

/** The OmniMemory document: store, recall, revise and forget memories, and what goes with them. */
export const omn = {
  name: "omn",
  tools: [
    retrieveMemory,
    storeMemory,
    updateMemory,
    forgetMemory,
    revertTool,
    consolidateTool,
    listMemories,
    exportMemoriesTool,
    importMemoriesTool,
    memoryStats,
    memoryHealth,
    createSessionTool,
    restoreSessionTool,
    getSessionContext,
    migrateSessionTool,
    exportSessionTool,
    endSessionTool,
    getWorkflowPatterns,
    suggestNextAction,
    recordWorkflowStep,
    workflowCheckpoint,
    compressText,
    getStats,
    healthCheck,
  ],
  resources: [recentMemories, healthCard, ownPreferences, preferencesOf, oneMemory, currentSession, conversationHistory, projectResource, commonPatterns, onePattern],
  prompts: omnPrompts,
  renderError,
} as const satisfies Family;
