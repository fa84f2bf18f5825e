import type { Context as WebCall } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as z from "zod";
import type { Services } from "../../app.ts";
import type { Context } from "../../domain/context.ts";
import { asDomainError, DomainError, noMemory } from "../../domain/errors.ts";
import { authorsOf } from "../../domain/memories/authorship.ts";
import { editText, sayAgain, withPlainBreaks } from "../../domain/memories/edit-text.ts";
import * as field from "../../domain/memories/fields.ts";
import { archiveOne, forget, type ForgetInput } from "../../domain/memories/forget.ts";
import { historyOf } from "../../domain/memories/history.ts";
import { list } from "../../domain/memories/list.ts";
import { type Memory, visibilities } from "../../domain/memories/memory.ts";
import { acceptProposal, listProposals, refuseProposal, waitingProposals } from "../../domain/memories/proposals.ts";
import { proposalStates } from "../../domain/memories/proposal-store.ts";
import { discard, listQuarantine, release } from "../../domain/memories/release.ts";
import { resolveOne } from "../../domain/memories/resolve.ts";
import { revise, type ReviseOutcome } from "../../domain/memories/revise.ts";
import { noteSecrets } from "../../domain/memories/secret-reading.ts";
import { recall } from "../../domain/recall/recall.ts";
import { withSuccessors } from "../../domain/recall/selection/succession.ts";
import { asFound } from "../../domain/secrets/redaction.ts";
import { bounds } from "../bounded-body.ts";
import { statusOf } from "../errors.ts";
import { contextFor } from "../routes/proposals.ts";
import { formOf, parsedForm } from "./form.ts";
import { forMember } from "./for-member.tsx";
import { errorPage, Written } from "./pages/error-page.tsx";
import { showPage } from "./pages/layout.tsx";
import { Edit, MemoriesPage, MemoryPage, mostAsked, type Kept, type Shown } from "./pages/memories.tsx";
import { linksOf, ProposalsPage } from "./pages/proposals.tsx";
import { forBrowsers, originOfCall, type Visitor, type Web } from "./web-session.ts";
import { Hono } from "../hono.ts";

const counter = z.coerce.number().int().positive();
const listing = z.object({ q: z.string().trim().max(mostAsked).optional(), all: z.string().optional(), before: z.uuid().optional(), archived: z.string().optional(), erased: z.string().optional() });
const change = z.object({ content: z.string().transform(withPlainBreaks).pipe(field.content), version: counter, restore: z.string().optional() });
const repetition = z.object({ version: counter, said: counter });
const past = z.object({ older: counter.optional(), saved: z.string().optional() });
/** Of the memory that an act changes, as the page showed it. */
const asShown = z.object({ version: counter.optional(), target: z.uuid().optional() });
const queue = z.object({ state: z.enum(proposalStates).default("pending"), before: z.uuid().optional(), done: z.enum(proposalStates).optional() });
const mostFound = 30;
const mostListed = 50;
const mostVersions = 50;
/** Each is shown whole. */
const mostProposals = 20;

/** Pages on which a person finds, reads and corrects what a team's memory knows, and decides about what the write guard kept back of theirs, and what waits for a review. */
export function memoryPages(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  app.use("/memories/*", forBrowsers(services));

  app.get("/memories/:team", (c) =>
    forReader(c, async (ctx, { person }) => {
      const { q, all, before, archived, erased } = parsedForm(listing, c.req.query());
      const isStart = !(q || before || archived);
      const [team, kept, waiting, shown] = await Promise.all([
        teamName(ctx, person),
        isStart ? keptBack(ctx) : [],
        isStart ? waitingProposals(ctx) : 0,
        q ? found(ctx, q, all) : list(ctx, { cursor: before, limit: mostListed, archived: archived !== undefined, withoutMessages: true }),
      ]);
      return showPage(c, { title: `${q ? `${q} – ` : archived ? "Archived – " : ""}Memories of ${team}`, body: <MemoriesPage {...{ principal: ctx.principal, team, q, archived, before, kept, waiting, erased: erased !== undefined, ...shown }} /> });
    }),
  );

  app.get("/memories/:team/proposals", (c) =>
    forReader(c, async (ctx, { person }) => {
      const { state, before, done } = parsedForm(queue, c.req.query());
      const [team, found] = await Promise.all([teamName(ctx, person), listProposals(ctx, { state, below: before, limit: mostProposals })]);
      const [authorOf, ends] = await Promise.all([
        authorsOf(ctx, found.flatMap(({ proposal: { proposedBy, decidedBy } }) => [proposedBy, decidedBy ?? proposedBy].map((updatedBy) => ({ updatedBy })))),
        memoriesOf(ctx, found.flatMap(({ proposal, memory, wanted }) => [...linksOf(proposal).map(({ to }) => to), ...[memory, wanted].flatMap((one) => one?.supersededBy ?? [])])),
      ]);
      const next = found.length === mostProposals ? found.at(-1)?.proposal.id : undefined;
      return showPage(c, { title: `Proposals in ${team}`, body: <ProposalsPage {...{ principal: ctx.principal, team, state, before, done, found, authorOf, ends, next }} /> });
    }),
  );
  for (const [act, done, decide] of [["accept", "accepted", acceptProposal], ["refuse", "refused", refuseProposal]] as const) {
    app.post(`/memories/:team/proposals/:id/${act}`, (c) =>
      forReader(c, async (ctx) => {
        const id = c.req.param("id");
        const { before } = parsedForm(queue, c.req.query());
        const href = `/memories/${ctx.principal.teamId}/proposals`;
        try {
          await decide(ctx, { id });
        } catch (error) {
          const known = asDomainError(error);
          if (known?.code !== "CONFLICT" && known?.code !== "NOT_FOUND") throw error;
          // A button that is pressed twice finds done what it asks for.
          const there = (await ctx.proposals.find(ctx.principal, ctx.now, id))?.proposal;
          if (there?.state !== done || there.decidedBy !== ctx.principal.userId) {
            const [what, advice] = known.code === "CONFLICT" ? [known.message, known.hint ?? ""] : ["There is no such proposal.", "A newer one may have taken its place."];
            return errorPage(c, statusOf[known.code], what, advice, { link: { href, children: "All proposals" } });
          }
        }
        return c.redirect(`${href}?done=${done}${before ? `&before=${before}` : ""}`, 303);
      }),
    );
  }

  app.get("/memories/:team/:id", (c) => forReader(c, (ctx) => showMemory(c, ctx)));

  app.post("/memories/:team/:id", (c) =>
    forReader(c, async (ctx, _, form) => {
      const written = form.get("content") ?? "";
      c.set("written", <Written text={written} />);
      try {
        const { content, version, restore } = parsedForm(change, Object.fromEntries(form));
        return await afterChange(c, ctx, await editText(ctx, { id: idOf(c), expectedVersion: version, text: content, restore: restore !== undefined }), version);
      } catch (error) {
        // Whatever refuses a text, it is not lost.
        const known = asDomainError(error);
        if (!known || known.code === "PERMISSION_DENIED") throw error;
        return showMemory(c, ctx, `Not saved. ${written.trim() ? known.message : "There is no text."}`, written, statusOf[known.code]);
      }
    }),
  );
  app.post("/memories/:team/:id/say-again", (c) =>
    forReader(c, async (ctx, _, form) => {
      const { version, said } = parsedForm(repetition, Object.fromEntries(form));
      return afterChange(c, ctx, await sayAgain(ctx, { id: idOf(c), expectedVersion: version, version: said }), version);
    }),
  );

  /** Each answers what the person is shown then: what a release changed is another memory than what was kept back. */
  const acts: Record<string, (ctx: Context, id: string, version?: number) => Promise<string>> = {
    archive: async (ctx, id) => shownAfter(id, (await archiveOne(ctx, await resolveOne(ctx, { id }))).proposals),
    restore: async (ctx, id) => shownAfter(id, proposedIn(await revise(ctx, { target: { id }, changes: { archivedAt: null } }))),
    keep: async (ctx, id) => shownAfter(id, proposedIn(await revise(ctx, { target: { id }, changes: { expiresAt: null } }))),
    release: async (ctx, id, version) => {
      const done = await release(ctx, { id, version });
      return shownAfter(done.memory.id, done.proposal);
    },
    discard: async (ctx, id) => (await discard(ctx, { id }), ""),
    erase: async (ctx, id, version) => {
      const erasure: ForgetInput = { ids: [id], mode: "erase" };
      const shown = await forget(ctx, erasure);
      const isAsSeen = shown.outcome === "preview" && shown.memories[0]?.version === version;
      // Whatever is written between the two is another version, and not what the token is for.
      if (!isAsSeen || (await forget(ctx, { ...erasure, confirm: shown.confirm })).outcome !== "erased") {
        throw new DomainError("CONFLICT", "It was changed since you opened it, and is not erased.", { hint: "Open it again to see what it says now." });
      }
      return "?erased=yes";
    },
    ...Object.fromEntries(visibilities.map((visibility) => [visibility, async (ctx: Context, id: string) => shownAfter(id, proposedIn(await revise(ctx, { target: { id }, changes: { visibility } })))])),
  };
  for (const [name, act] of Object.entries(acts)) {
    app.post(`/memories/:team/:id/${name}`, (c) =>
      forReader(c, async (ctx) => {
        const [id, { version, target }] = [idOf(c), parsedForm(asShown, c.req.query())];
        const shown = await act(ctx, id, version).catch((error) => doneBefore(ctx, id, target, name, error));
        return c.redirect(`/memories/${ctx.principal.teamId}${shown}`, 303);
      }),
    );
  }

  const teamName = async ({ principal: { teamId } }: Context, person: Visitor["person"]): Promise<string> =>
    (await services.grants.memberships(person)).find((team) => team.teamId === teamId)?.teamName ?? "";

  async function forReader(c: WebCall<Web>, work: (ctx: Context, visitor: Visitor, form: URLSearchParams) => Promise<Response>): Promise<Response> {
    const form = await formOf(c, bounds.conversation);
    const written = form.get("content");
    // Whoever is turned away before it is looked at sends it again from there.
    if (written !== null) c.set("written", <Edit at={new URL(c.req.url).pathname} version={form.get("version")} text={written} />);
    return forMember(services, c, (principal, visitor) => {
      const call = { principal, now: Date.now(), requestId: c.get("requestId"), address: originOfCall(c).address };
      return work(contextFor(services, call, (later) => c.executionCtx.waitUntil(later)), visitor, form);
    });
  }
  return app;
}

/** `draft`: what the person wrote and that is not stored. */
async function showMemory(c: WebCall<Web>, ctx: Context, notice?: Child, draft?: string, status: ContentfulStatusCode = 409): Promise<Response> {
  const { older, saved } = parsedForm(past, c.req.query());
  const { memory: found, entries } = await historyOf(ctx, { target: { id: idOf(c) }, limit: mostVersions + 1, before: older });
  await noteSecrets(ctx, [found]);
  const [memory = found] = await withSuccessors(ctx, [found]);
  const shown = entries.slice(0, mostVersions);
  const oldest = entries.length > mostVersions ? shown.at(-1)?.version.version : undefined;
  // The address may be opened again when something else was saved.
  const done = saved === "no" ? "Not changed." : saved === "waits" ? waits(ctx) : saved === String(memory.version) ? "Saved." : undefined;
  const authorOf = await authorsOf(ctx, shown.map(({ version: { actorId } }) => ({ updatedBy: actorId })));
  return showPage(c, { title: memory.key ?? "Memory", status: draft === undefined ? 200 : status, body: <MemoryPage {...{ principal: ctx.principal, memory, entries: shown, oldest, older, authorOf, notice, done, draft }} /> });
}

/** The best first, of this team alone: others are changed where they are. `all`: whatever matches, not only what probably was asked for. */
async function found(ctx: Context, query: string, all: string | undefined): Promise<Shown> {
  const { items, uncertain, lessLikely } = await recall(ctx, { query, limit: mostFound, minRelevance: all ? 0 : undefined });
  return { memories: items.flatMap(({ memory, laterId }) => (memory.teamId === ctx.principal.teamId ? { ...memory, laterId } : [])), uncertain, lessLikely };
}

/** What is kept back of the person's own, and of what is there already what it would change. */
async function keptBack(ctx: Context): Promise<Kept[]> {
  const kept = await listQuarantine(ctx);
  const targets = await memoriesOf(ctx, kept.flatMap(({ quarantine }) => quarantine?.target ?? []));
  return kept.map((memory) => ({ memory, target: targets.find(({ id }) => id === memory.quarantine?.target) }));
}

/** Those that the person may see. */
const memoriesOf = async (ctx: Context, ids: string[]): Promise<Memory[]> => (ids.length > 0 ? (await ctx.memories.hydrate(ctx.principal, ctx.now, ids)).memories.map(asFound) : []);

function idOf(c: WebCall<Web>): string {
  const id = z.uuid().safeParse(c.req.param("id"));
  if (!id.success) throw noMemory("");
  return id.data;
}

/** The memory, and what became of the change of the version `seen`. A form that is sent twice finds what it asks for already there. */
async function afterChange(c: WebCall<Web>, ctx: Context, done: ReviseOutcome, seen: number): Promise<Response> {
  const [{ content, version, archivedAt }, attempted] = done.outcome === "conflict" ? [done.current, done.attempted.content] : [done.memory];
  const isThere = attempted === content && archivedAt === null;
  const notice = isThere ? undefined : noticeOf(ctx, done);
  if (notice) return showMemory(c, ctx, notice, attempted);
  return c.redirect(`/memories/${ctx.principal.teamId}/${idOf(c)}?saved=${version === seen ? "no" : version}`, 303);
}

/** A button that is pressed twice finds done what it asks for: a memory that is kept back no more, or nothing. @throws the error otherwise */
async function doneBefore(ctx: Context, id: string, target: string | undefined, act: string, error: unknown): Promise<string> {
  if (!(error instanceof DomainError) || error.code !== "MEMORY_NOT_FOUND") throw error;
  const read = (one: string) => ctx.memories.get(ctx.principal, ctx.now, one);
  const there = (await read(id)) ?? (target && (await read(target)));
  const shown = there ? `/${there.id}` : shownWhenGone[act];
  if (shown === undefined || (there && there.quarantine)) throw error;
  return shown;
}

/** Of acts after which the memory is not there. */
const shownWhenGone: Record<string, string | undefined> = { discard: "", erase: "?erased=yes" };

const waits = ({ principal: { teamId } }: Context): Child => (
  <>
    Your change waits for an admin of the team. <a href={`/memories/${teamId}/proposals`}>Proposals</a>
  </>
);
const shownAfter = (id: string, proposed: unknown): string => `/${id}${proposed ? "?saved=waits" : ""}`;
const proposedIn = (done: ReviseOutcome): unknown => "proposal" in done && done.proposal;

/** What the person has to know of a change that was not stored just as they wrote it. */
function noticeOf(ctx: Context, done: ReviseOutcome): Child {
  if (done.outcome === "conflict") return "Not saved: it was changed since you opened it. The history shows how. Saving puts your text in its place.";
  if (done.outcome === "quarantined") return `Not saved, but kept back: ${done.reasons.join(", ")}. All memories shows it.`;
  if (done.proposal) return waits(ctx);
  return done.masked && `Saved without ${done.masked.join(", ")}, which is kept back. All memories shows it.`;
}
