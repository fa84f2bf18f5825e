import { createMessageBatch, createExecutionContext, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Services } from "../../src/app.ts";
import { writesWithIndexing } from "../../src/domain/indexing/indexing-queue.ts";
import type { TeamRef } from "../../src/domain/tenancy/team-ref.ts";
import { newState } from "../../src/domain/memories/memory.ts";
import { firstVersion } from "../../src/domain/memories/versions.ts";
import { consumeJobs } from "../../src/jobs/queue.ts";
import { runScheduled } from "../../src/jobs/scheduled.ts";
import { CloudflareIndexingQueue } from "../../src/platform/queue/cloudflare-indexing-queue.ts";
import { commits, minute, newTeam, now, services, type Team, writerOver } from "../support/team.ts";
import { busy, teamRefOf, Jobs } from "../support/indexing.ts";

let team: Team;
let jobs: Jobs;

beforeEach(async () => {
  team = await newTeam();
  jobs = new Jobs(team, now);
});

const enqueue = vi.fn();
const report = vi.fn();
const withJobs = (): Services => ({ ...services, indexing: jobs.ports, indexingQueue: { enqueue }, report });

async function deliver(...bodies: unknown[]) {
  const messages = bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(now), attempts: 1, body }));
  const batch = createMessageBatch("omnimemory-jobs", messages);
  await consumeJobs(withJobs(), batch, jobs.clock);
  return getQueueResult(batch, createExecutionContext());
}

describe("the consumer [E3]", () => {
  test("follows the teams that are named, each once, however often", async () => {
    const other = await newTeam();
    await team.owner.remember("a heron");
    await other.owner.remember("a stork");
    const result = await deliver(teamRefOf(team), teamRefOf(team), teamRefOf(other), teamRefOf(team));
    expect(result.explicitAcks.sort()).toEqual(["m0", "m1", "m2", "m3"]);
    expect(jobs.embedder.asked).toEqual([["a heron"], ["a stork"]]);
    await deliver(teamRefOf(team));
    expect(jobs.embedder.asked).toHaveLength(2);
  });

  test("comes back when a busy provider said so, or leaves it to the sweep when that is long", async () => {
    await team.owner.remember("a heron");
    jobs.embedder.script.push(busy(20_000), busy(10 * minute));
    const message = { id: "m", timestamp: new Date(now), attempts: 1, body: teamRefOf(team), ack: vi.fn(), retry: vi.fn() };
    const again = () => consumeJobs(withJobs(), { messages: [message] } as unknown as MessageBatch, jobs.clock);
    await again();
    expect(message.retry).toHaveBeenCalledWith({ delaySeconds: 20 });
    jobs.now += 20_000;
    await again();
    expect(message.ack).toHaveBeenCalledOnce();
    await runScheduled(withJobs(), now, () => jobs.now + 11 * minute);
    expect(jobs.index.held.size).toBe(1);
  });

  test("a message that is none is retried until it is dead, and stops no other", async () => {
    await team.owner.remember("a heron");
    const result = await deliver({ shard: "DB" }, "?", teamRefOf(team));
    expect(result.retryMessages.map(({ msgId }: { msgId: string }) => msgId)).toEqual(["m0", "m1"]);
    expect(result.explicitAcks).toEqual(["m2"]);
    expect(jobs.index.held.size).toBe(1);
  });

  test("a large import is done in turns", async () => {
    const turns = { ...jobs.ports, tasks: [{ expectedCursors: [], run: () => Promise.resolve({ state: "more" as const }) }] };
    const batch = createMessageBatch("omnimemory-jobs", [{ id: "m", timestamp: new Date(now), attempts: 1, body: teamRefOf(team) }]);
    await consumeJobs({ ...withJobs(), indexing: turns }, batch, jobs.clock);
    expect(enqueue).toHaveBeenLastCalledWith(teamRefOf(team));
  });
});

describe("the producer", () => {
  const queue = () => {
    const send = vi.fn(() => Promise.resolve({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }));
    return { send, queue: { ...env.JOBS, send } as unknown as Queue<TeamRef> };
  };

  test("sends one message for the writes of a second, to be read after the last of them", async () => {
    const { send, queue: jobsQueue } = queue();
    const announcer = new CloudflareIndexingQueue(jobsQueue, report);
    for (let i = 0; i < 50; i += 1) announcer.enqueue(teamRefOf(team));
    announcer.enqueue({ ...teamRefOf(team), teamId: `${team.id}-2` });
    expect(send.mock.calls).toEqual([[teamRefOf(team), { delaySeconds: 1 }], [{ ...teamRefOf(team), teamId: `${team.id}-2` }, { delaySeconds: 1 }]]);
    await expect
      .poll(() => {
        announcer.enqueue(teamRefOf(team));
        return send;
      })
      .toHaveBeenCalledTimes(3);
  });

  test("a queue that is away is no write's trouble; the next write tries again", async () => {
    const { send, queue: jobsQueue } = queue();
    send.mockRejectedValueOnce(new Error("the queue is away"));
    const writer = writesWithIndexing(writerOver(commits), new CloudflareIndexingQueue(jobsQueue, report));
    const ada = team.owner;
    const ctx = ada.at(now);
    const memory = firstVersion(ctx, newState({ content: "a heron", ownerId: ada.id }));
    const written = await writer.commit(ada.principal, ctx, [{ memory, action: "create" }]);
    await expect.poll(() => report).toHaveBeenCalledWith("queue.send", expect.objectContaining({ message: "the queue is away" }));
    await writer.erase(ada.principal, ctx, written);
    expect(send).toHaveBeenCalledTimes(2);
  });
});
