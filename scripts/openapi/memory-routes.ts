import * as z from "zod";
import { consolidateInput } from "../../src/domain/memories/consolidate-input.ts";
import { revertInput } from "../../src/domain/memories/revert-input.ts";
import { statsInput } from "../../src/domain/metrics/prevention-stats.ts";
import * as health from "../../src/http/routes/health.ts";
import * as intelligence from "../../src/http/routes/intelligence.ts";
import * as jobs from "../../src/http/routes/jobs.ts";
import * as proposals from "../../src/http/routes/proposals.ts";
import * as quarantine from "../../src/http/routes/quarantine.ts";
import * as reverts from "../../src/http/routes/reverts.ts";
import * as runs from "../../src/http/routes/runs.ts";
import * as sessions from "../../src/http/routes/sessions.ts";
import * as workflows from "../../src/http/routes/workflows.ts";
import { consolidateTool } from "../../src/tools/families/omn/consolidate.ts";
import { memoryHealth } from "../../src/tools/families/omn/memory-health.ts";
import { revertTool } from "../../src/tools/families/omn/revert.ts";
import * as answer from "./answers.ts";
import { admin, read, readAndWrite, type Routes, write } from "./route.ts";

/** What a team remembers, and what becomes of it. */
export const memoryRoutes: Routes = {
  "GET /v1/teams/:team/review": { id: "getReview", says: "Whether admins look at changes of what others see first", needs: read, answer: answer.review },
  "PUT /v1/teams/:team/review": { id: "setReview", says: "Switches the review on or off", needs: admin, body: proposals.setting, answer: answer.review },
  "GET /v1/teams/:team/proposals": { id: "listProposals", says: "Changes that wait: one's own, for admins all", needs: read, query: proposals.listing, answer: answer.proposals },
  "POST /v1/teams/:team/proposals/:id/accept": { id: "acceptProposal", says: "Makes the proposed change", needs: admin, answer: answer.accepted, refuses: [409] },
  "POST /v1/teams/:team/proposals/:id/refuse": { id: "refuseProposal", says: "Refuses the proposed change", needs: admin, answer: answer.refused, refuses: [409] },

  "GET /v1/teams/:team/guard": { id: "getGuard", says: "What the write guard does with secrets and with orders to models", needs: read, answer: answer.guard },
  "PUT /v1/teams/:team/guard": { id: "setGuard", says: "Sets it", needs: admin, body: quarantine.setting, answer: answer.guard },
  "GET /v1/teams/:team/quarantine": { id: "listQuarantine", says: "What the write guard keeps back of your own writes", needs: read, answer: answer.quarantine },
  "POST /v1/teams/:team/quarantine/:id/release": { id: "releaseFromQuarantine", says: "Stores it after all", needs: write, body: quarantine.releasing, answer: answer.released, refuses: [409] },
  "POST /v1/teams/:team/quarantine/:id/discard": { id: "discardFromQuarantine", says: "Erases it", needs: write, answer: answer.discarded },

  "GET /v1/teams/:team/intelligence": { id: "getIntelligence", says: "Who understands the team's texts, and what it took", needs: admin, answer: answer.intelligence },
  "PUT /v1/teams/:team/intelligence": { id: "setIntelligence", says: "Sets it; what is left out is not set", needs: admin, body: intelligence.setting, answer: answer.setIntelligence },

  "GET /v1/teams/:team/health": { id: "getReportCard", says: "The report card of the memories you may see", needs: read, answer: memoryHealth.output },
  "POST /v1/teams/:team/health": {
    id: "checkOrRepair", says: "The report card with which memories cite changed files; or with `fix` a preview of a repair, and with `confirm` the repair", needs: readAndWrite,
    body: health.input, answer: z.union([memoryHealth.output, revertTool.output]),
  },
  "GET /v1/teams/:team/stats": { id: "getStats", says: "What calls prevented; `of=team` takes memory:admin", needs: read, query: statsInput, answer: answer.stats },
  "GET /v1/teams/:team/reverts": { id: "listReverts", says: "The runs so far: one's own, for admins all", needs: read, query: reverts.listing, answer: answer.reverts },
  "POST /v1/teams/:team/reverts": { id: "revert", says: "Undoes what an author, a client, a session or a call wrote: preview, then `confirm`; `undo` takes a run back", needs: readAndWrite, body: revertInput, answer: revertTool.output, refuses: [409] },
  "POST /v1/teams/:team/consolidations": { id: "consolidate", says: "Merges what says the same, marks what newer memories replaced: preview, then `confirm`", needs: readAndWrite, body: consolidateInput, answer: consolidateTool.output, refuses: [409] },

  "GET /v1/teams/:team/evolution": { id: "getEvolution", says: "Whether memories evolve by schedule", needs: read, answer: answer.evolution },
  "PUT /v1/teams/:team/evolution": { id: "setEvolution", says: "Sets it", needs: admin, body: runs.setting, answer: answer.evolution },
  "GET /v1/teams/:team/runs": { id: "listRuns", says: "Runs of the curator, newest first", needs: read, query: runs.listing, answer: answer.runs },
  "POST /v1/teams/:team/runs": { id: "startRun", says: "Asks for a run", needs: admin, body: runs.wanted, status: 202, answer: answer.oneRun, refuses: [409] },
  "GET /v1/teams/:team/runs/:run": { id: "getRun", says: "One run, and what it did to memories that you may see", needs: read, answer: answer.runChanges },
  "GET /v1/teams/:team/runs/events": { id: "streamRuns", says: "The curator at work: as server-sent events where they are accepted, else the present state", needs: read, answer: answer.runState, alternative: "text/event-stream" },
  "POST /v1/teams/:team/runs/:run/stop": { id: "stopRun", says: "Stops a run; what it did stays", needs: admin, answer: answer.oneRun, refuses: [409] },
  "POST /v1/teams/:team/runs/:run/undo": { id: "undoRun", says: "Undoes what a run did to memories that you may change", needs: readAndWrite, answer: revertTool.output, refuses: [409] },
  "POST /v1/teams/:team/curator/pause": { id: "pauseCurator", says: "No step begins until it is resumed", needs: admin, answer: answer.pause },
  "POST /v1/teams/:team/curator/resume": { id: "resumeCurator", says: "Steps begin again", needs: admin, answer: answer.pause },

  "GET /v1/teams/:team/jobs": { id: "listJobs", says: "Imports, exports and runs of the curator, newest first", needs: read, query: jobs.listing, answer: answer.jobs },
  "POST /v1/teams/:team/jobs/import": {
    id: "startImport", says: "Imports a file in the background. Ten requests for each thousand entries", needs: write, query: jobs.importing,
    body: z.string(), bodyType: "application/x-ndjson", status: 202, answer: answer.oneJob, refuses: [409],
  },
  "POST /v1/teams/:team/jobs/export": { id: "startExport", says: "Collects an export in the background; secrets take memory:admin", needs: readAndWrite, body: jobs.exporting, status: 202, answer: answer.oneJob, refuses: [409] },
  "GET /v1/teams/:team/jobs/:job": { id: "getJob", says: "How far a job is", needs: read, answer: answer.oneJob },
  "GET /v1/teams/:team/jobs/:job/result": { id: "getJobResult", says: "What an export collected, for 24 hours", needs: read, answer: "application/x-ndjson", refuses: [409] },
  "POST /v1/teams/:team/jobs/:job/cancel": { id: "cancelJob", says: "Cancels a job; what it stored stays", needs: write, answer: answer.oneJob, refuses: [409] },

  "GET /v1/teams/:team/sessions": { id: "listSessions", says: "Your own work sessions, newest first", needs: read, query: sessions.listing, answer: answer.sessions },
  "POST /v1/teams/:team/sessions": { id: "openSession", says: "The open session of a tool and project, or a new one", needs: write, body: sessions.opening, status: 201, answer: answer.newSession },
  "GET /v1/teams/:team/sessions/:session": { id: "getSession", says: "What a session is about and through which tools it went", needs: read, answer: answer.oneSession },
  "DELETE /v1/teams/:team/sessions/:session": { id: "deleteSession", says: "Erases a session with all that was said in it", needs: write, answer: answer.deleted },
  "POST /v1/teams/:team/sessions/:session/passport": { id: "exportSession", says: "The session as a Memory Passport, and a link that opens it once", needs: readAndWrite, body: sessions.exporting, status: 201, answer: answer.passport },
  "GET /v1/teams/:team/sessions/:session/turns": { id: "listTurns", says: "The conversation as it was said", needs: read, query: sessions.page, answer: answer.turns },
  "POST /v1/teams/:team/sessions/:session/turns": { id: "recordTurns", says: "Hands on a conversation", needs: write, body: sessions.saying, status: 201, answer: answer.recordedTurns },
  "GET /v1/teams/:team/passport-issuers": { id: "listPassportIssuers", says: "Other servers whose passports you take", needs: read, answer: answer.issuers },
  "DELETE /v1/teams/:team/passport-issuers/:issuer": { id: "distrustIssuer", says: "The next passport of that server asks again; the origin, percent-encoded", needs: write, answer: answer.distrusted },

  "GET /v1/teams/:team/workflows/steps": { id: "listSteps", says: "Your own steps, newest first", needs: read, query: workflows.listing, answer: answer.steps },
  "POST /v1/teams/:team/workflows/steps": { id: "recordSteps", says: "Records what was done", needs: write, body: workflows.batch, answer: answer.recordedSteps },
  "DELETE /v1/teams/:team/workflows/steps": { id: "forgetSteps", says: "Forgets the steps of a project and what was learned of them", needs: write, query: workflows.forgetting, answer: answer.forgotten },
};
