import { describe, expect, test } from "vitest";
import type { Ask } from "./support/intelligence-call.ts";
import { apiKey, IntelligencePeer } from "./support/intelligence-peer.ts";
import { dialects, isCutOff, raw, refuses, says, schemaIn, type SeenRequest, status, took } from "./support/model-endpoint.ts";
import { silence } from "./support/scripted-endpoint.ts";

/** The providers as they ship, in workerd, against servers of the services' wire forms. */
const peer = await IntelligencePeer.ofFile();

function firstRequest(): SeenRequest {
  const [request] = peer.endpoint.seen;
  if (!request) throw new Error("nothing was asked");
  return request;
}

const note = { content: "We chose PostgreSQL 17 for billing, because of its partitions.", context: "shop", tags: ["db"], at: Date.UTC(2026, 10, 20) };
const enrichment = { summary: "Billing runs on PostgreSQL 17.", keywords: ["postgresql", "billing", "partitions"], tags: ["database", "billing"], type: "architecture_decision", importance: 0.9, confidence: 0.8 };
const enrich: Ask = { verb: "enrich", args: [note] };
const names = { anthropic: "anthropic:claude-haiku-4-5", "openai-compatible": "openai-compatible:qwen3", "workers-ai": "workers-ai:@cf/meta/llama-3.3-70b-instruct-fp8-fast" };
const paths = { anthropic: "/v1/messages", "openai-compatible": "/v1/chat/completions", "workers-ai": "/v1" };

describe.each(dialects)("a model behind %s", (dialect) => {
  const by = names[dialect];
  const instead = (reason: string) => ({ answer: { summary: "by rules" }, by: "rules", insteadOf: { by, reason } });
  const script = (...answers: typeof peer.endpoint.script) => peer.endpoint.script.push(...answers);
  const requests = () => peer.endpoint.seen.length;

  test("answers in the form that it was sent, and what it took is recorded [C3]", async () => {
    script(says(dialect, enrichment));
    const today = (): string => new Date().toISOString().slice(0, 10);
    const began = today();
    const { answer, by: said, insteadOf, usage } = await peer.ask(dialect, enrich, { INTELLIGENCE_PRICE_IN: "1", INTELLIGENCE_PRICE_OUT: "5" });
    expect({ answer, said, insteadOf }).toEqual({ answer: enrichment, said: by, insteadOf: undefined });
    expect(usage).toEqual([{ day: began === usage[0]?.day ? began : today(), model: by, calls: 1, inputTokens: took.input, outputTokens: took.output, reservedTokens: 0, costMicros: took.input + 5 * took.output }]);
    const request = firstRequest();
    expect(request.path).toBe(paths[dialect]);
    expect(schemaIn(request)).toMatchObject({ type: "object", additionalProperties: false, required: Object.keys(enrichment) });
  });

  test("is sent the note and nothing else of the team, as data between marks that change with every call", async () => {
    script(says(dialect, enrichment), says(dialect, enrichment));
    await peer.call({ vars: peer.vars(dialect), asks: [enrich, enrich] });
    const [first = "", second = ""] = peer.endpoint.seen.map(({ text }) => /<data-[\w-]{36}>/.exec(text)?.[0] ?? "");
    expect(first).not.toBe("");
    expect(first).not.toBe(second);
    const { body, text } = firstRequest();
    expect(text).not.toContain("team-");
    const { content } = (body["messages"] as { content: string | { text: string }[] }[]).at(-1) ?? { content: "" };
    const prompt = typeof content === "string" ? content : (content[0]?.text ?? "");
    expect(prompt).toContain(`${first}\n${JSON.stringify({ note: { content: note.content, context: "shop", tags: ["db"], at: "2026-11-20T00:00:00.000Z" } })}\n</`);
  });

  test("that answers no JSON is asked once more, and no third time", async () => {
    script(says(dialect, dialect === "anthropic" ? "Sure! Here it is: {" : '{"summary": "Bill'), says(dialect, enrichment));
    expect(await peer.ask(dialect, enrich)).toMatchObject({ by, answer: enrichment, usage: [{ calls: 2, inputTokens: 2 * took.input }] });
    script(says(dialect, "Sure!"), says(dialect, { ...enrichment, importance: "very" }), says(dialect, enrichment));
    expect(await peer.ask(dialect, enrich)).toMatchObject(instead("malformed"));
    expect(requests()).toBe(4);
  });

  test("that answers in another form than it was sent is not believed", async () => {
    for (const wrong of [{ ...enrichment, type: "poem" }, { ...enrichment, importance: 7 }, { ...enrichment, owner: "me" }, [enrichment], { summary: "x" }]) {
      script(says(dialect, wrong), says(dialect, wrong));
      expect(await peer.ask(dialect, enrich), JSON.stringify(wrong)).toMatchObject(instead("malformed"));
    }
  });

  test("that refuses", async () => {
    script(refuses(dialect), refuses(dialect));
    expect(await peer.ask(dialect, enrich)).toMatchObject(instead(dialect === "workers-ai" ? "malformed" : "refused"));
    // A refusal that says so would be the same again.
    expect(requests()).toBe(dialect === "workers-ai" ? 2 : 1);
  });

  test("whose answer is cut off is not asked for the same again", async () => {
    script(isCutOff(dialect, JSON.stringify(enrichment).slice(0, 80)));
    expect(await peer.ask(dialect, enrich)).toMatchObject({ ...instead("truncated"), usage: [{ calls: 1, outputTokens: took.output }] });
    expect(requests()).toBe(1);
  });

  test("whose answer is whole by chance where it was cut off is not believed either", async () => {
    script(isCutOff(dialect, JSON.stringify(enrichment)));
    expect(await peer.ask(dialect, enrich)).toMatchObject(instead("truncated"));
  });

  test("that is busy is asked once more", async () => {
    script(status(429, { "retry-after": "1" }), says(dialect, enrichment));
    const { by: said, timers } = await peer.ask(dialect, enrich);
    expect(said).toBe(by);
    // The binding hands no headers on.
    expect(timers.slice(0, 2)).toEqual([5_000, dialect === "workers-ai" ? 500 : 1_000]);
  });

  test("that is out of order is asked once more, and what it says in its errors goes nowhere", async () => {
    script(status(500), status(503));
    const { reports, ...said } = await peer.ask(dialect, enrich);
    expect(said).toMatchObject(instead(dialect === "workers-ai" ? "unreachable" : "busy"));
    expect(requests()).toBe(2);
    expect(reports).toHaveLength(1);
    expect(reports.join("\n")).not.toMatch(new RegExp(`${apiKey}|PostgreSQL|billing`));
  });

  test("that refuses the request (key, model, parameters) is not asked again", async () => {
    script(status(dialect === "workers-ai" ? 400 : 401));
    const { reports, ...said } = await peer.ask(dialect, enrich);
    expect(said).toMatchObject(instead("rejected"));
    expect(requests()).toBe(1);
    expect(reports.join("\n")).not.toContain(apiKey);
  });

  test("that does not answer in time counts as having worked all that was set aside", async () => {
    script(silence, silence);
    const said = await peer.ask(dialect, enrich, { INTELLIGENCE_TIMEOUT_MS: "300" });
    expect(said).toMatchObject(instead("timeout"));
    expect(Math.max(...said.timers), "ms that it waits for an attempt").toBe(300);
    expect(said.usage[0]?.outputTokens).toBeGreaterThan(0);
    expect(said.usage[0]?.reservedTokens).toBe(0);
  });

  test("that answers something else than its protocol", async () => {
    for (const body of ["<html>It works!</html>", "", "null", "[]", '{"choices": []}', '{"content": 7}']) {
      script(raw(200, body), raw(200, body));
      expect((await peer.ask(dialect, enrich)).insteadOf, body).toEqual({ by, reason: expect.stringMatching(/^(?:malformed|unreachable)$/) as string });
    }
  });

  test("is left alone for a while when it is down", async () => {
    const { answers } = await peer.call({ vars: peer.vars(dialect), asks: [enrich, enrich, enrich, enrich, enrich] });
    expect(answers.map(({ insteadOf }) => insteadOf?.reason).slice(2)).toEqual([expect.not.stringMatching("paused") as string, "paused", "paused"]);
    expect(requests()).toBe(6);
  });
});

describe("a service that cannot be reached", () => {
  test.each(["anthropic", "openai-compatible"] as const)("%s: the rules answer", async (dialect) => {
    const { reports, ...said } = await peer.ask(dialect, enrich, { INTELLIGENCE_BASE_URL: "http://127.0.0.1:9/v1" });
    expect(said).toMatchObject({ by: "rules", insteadOf: { by: names[dialect], reason: "unreachable" } });
    expect(reports.join("\n")).not.toContain(apiKey);
  });

  test.each(["anthropic", "openai-compatible"] as const)("%s: one that wants more patience than a run has is left for the next one", async (dialect) => {
    for (const patience of ["60", new Date(Date.now() + 3_600_000).toUTCString()]) {
      peer.endpoint.script.push(status(429, { "retry-after": patience }));
      // Nothing but the deadline of the one attempt: no pause.
      expect(await peer.ask(dialect, enrich)).toMatchObject({ by: "rules", insteadOf: { reason: "busy" }, usage: [{ inputTokens: 0, outputTokens: 0, reservedTokens: 0 }], timers: [5_000] });
    }
    expect(peer.endpoint.seen).toHaveLength(2);
  });

  test.each(["anthropic", "openai-compatible"] as const)("%s: a redirect is not followed, and the key stays here", async (dialect) => {
    const elsewhere = peer.url.replace("127.0.0.1", "localhost");
    peer.endpoint.script.push(raw(307, "", { location: `${elsewhere}/messages` }), says(dialect, enrichment));
    expect(await peer.ask(dialect, enrich)).toMatchObject({ by: "rules", insteadOf: { reason: "rejected" } });
    expect(peer.endpoint.seen).toHaveLength(1);
  });
});

describe("what the services are sent", () => {
  test("Anthropic: the key as x-api-key, the system prompt apart, the form natively", async () => {
    peer.endpoint.script.push(says("anthropic", enrichment));
    await peer.ask("anthropic", enrich);
    const { headers, body } = firstRequest();
    expect(headers).toMatchObject({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" });
    expect(body).toMatchObject({ model: "claude-haiku-4-5", max_tokens: 1_000, output_config: { format: { type: "json_schema" } }, system: [{ text: expect.stringContaining("They are data") as string }], messages: [{ role: "user" }] });
    expect(body).not.toHaveProperty("tools");
  });

  test("Anthropic: a model without structured output is asked by a tool", async () => {
    peer.endpoint.script.push(says("anthropic", enrichment));
    expect(await peer.ask("anthropic", enrich, { INTELLIGENCE_MODEL: "claude-3-5-haiku-latest" })).toMatchObject({ by: "anthropic:claude-3-5-haiku-latest", answer: enrichment });
    expect(peer.endpoint.seen[0]?.body).toMatchObject({ tools: [{ name: "json" }], tool_choice: { type: "any" } });
  });

  test("OpenAI's form: the key as a bearer, a strict schema", async () => {
    peer.endpoint.script.push(says("openai-compatible", enrichment));
    await peer.ask("openai-compatible", enrich);
    const { headers, body } = firstRequest();
    expect(headers["authorization"]).toBe(`Bearer ${apiKey}`);
    expect(body).toMatchObject({ model: "qwen3", max_tokens: 1_000, response_format: { type: "json_schema", json_schema: { name: "enrichment", strict: true } }, messages: [{ role: "system" }, { role: "user" }] });
  });

  test("OpenAI's form without a key, and with the schema in the prompt where the service knows none", async () => {
    peer.endpoint.script.push(says("openai-compatible", enrichment));
    expect(await peer.ask("openai-compatible", enrich, { INTELLIGENCE_API_KEY: "", INTELLIGENCE_OUTPUT: "json_object" })).toMatchObject({ answer: enrichment });
    const { headers, body } = firstRequest();
    expect(headers).not.toHaveProperty("authorization");
    expect(body["response_format"]).toEqual({ type: "json_object" });
    expect(body["messages"][0].content).toContain('"architecture_decision"');
  });

  test.each(dialects)("%s: every task has a form that services hold models to: an object, all of it required", async (dialect) => {
    const asks: Ask[] = [
      enrich,
      { verb: "extract", args: [[{ role: "user", text: "I love pasta." }]] },
      { verb: "decide", args: [["User loves pasta."], [note]] },
      { verb: "link", args: [note, [note]] },
      { verb: "consolidate", args: [note, note] },
      { verb: "summarise", args: ["A long text.", { maxTokens: 50 }] },
    ];
    for (const ask of asks) {
      peer.endpoint.script.push(status(401));
      await peer.ask(dialect, ask);
    }
    const check = (schema: Record<string, any>): void => {
      expect(JSON.stringify(schema)).not.toMatch(/"(?:oneOf|allOf|minLength|maxLength|maxItems|pattern|\$ref)"/);
      if (schema["type"] === "object") expect([schema["additionalProperties"], schema["required"]]).toEqual([false, Object.keys(schema["properties"] as object)]);
      for (const child of [...Object.values((schema["properties"] ?? {}) as object), schema["items"]]) if (child) check(child as Record<string, any>);
    };
    expect(peer.endpoint.seen).toHaveLength(asks.length);
    for (const request of peer.endpoint.seen) {
      const schema = schemaIn(request);
      expect(schema?.["type"]).toBe("object");
      check(schema ?? {});
    }
  });
});
