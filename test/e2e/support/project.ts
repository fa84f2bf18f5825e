/** What an AI notes down over some weeks in a project of ordinary size, in the key conventions of the Token Saver document. */
const paragraph = (topic: string, details: string[]): string =>
  `${topic}. ${details.map((detail, i) => `${detail}, which was decided in review ${i + 1} and is covered by its own tests and runbook.`).join(" ")}`;

const modules = ["billing", "catalogue", "checkout", "identity", "inventory", "notifications", "reporting", "search", "shipping", "support"];

export const notes: { key: string; value: unknown; scope?: string; tags?: string[] }[] = [
  { key: "project.architecture", value: paragraph("Ten services behind one gateway, events over NATS", modules.map((name) => `${name} owns its own PostgreSQL schema and publishes ${name}.changed`)) },
  { key: "project.conventions", value: paragraph("TypeScript strict, no default exports", ["errors are values", "dates are UTC", "every handler takes its clock", "migrations are linear", "log lines are JSON"]) },
  { key: "project.dependencies", value: Object.fromEntries(modules.map((name, i) => [`@shop/${name}`, { version: `${i}.4.2`, pinned: i % 2 === 0, reason: "compatible with Node 22 and the shared tracing library" }])) },
  { key: "project.structure", value: modules.map((name) => `services/${name}: src/routes, src/domain, src/store, test; its README says how to run it alone`) },
  { key: "current.task", value: "Move the refund flow of the checkout service from polling to webhooks of the payment provider." },
  { key: "current.progress", value: { module: "checkout", percent: 70, done: ["webhook endpoint", "signature check", "idempotent handler"], next_steps: ["replay missed events", "remove the poller"] } },
  { key: "current.blockers", value: "The provider's sandbox signs with an expired certificate; their ticket is PAY-4711." },
  { key: "current.next_steps", value: ["Replay events since 1 May", "Delete src/poller.ts", "Tell support about the new states"] },
  { key: "shared.findings", value: "Refunds above 500 euros were executed twice when the poller and the webhook raced.", scope: "shared" },
  { key: "shared.decisions", value: "Webhook events are stored before they are handled, so that a replay is always possible.", scope: "shared" },
  ...modules.flatMap((name) => [
    { key: `discovered.issues.${name}`, value: paragraph(`Known problems of ${name}`, ["slow start after a deploy", "retries without jitter", "an N+1 query in the list endpoint", "flaky test on leap days"]), tags: ["recent"] },
    { key: `discovered.patterns.${name}`, value: paragraph(`Patterns found in ${name}`, ["commands are handled by one function each", "queries never write", "stores return domain types"]) },
    { key: `project.notes.${name}`, value: { owner: `team ${name}`, slo: "99.9% in 300 ms", endpoints: Array.from({ length: 12 }, (_, i) => `/v1/${name}/resource-${i}: lists, filters and pages by cursor`) } },
  ]),
];
