import { expect, test } from "vitest";
import { indexed, newTeam } from "../support/team.ts";

/** What was said first, what was said later without naming the first, and a question. */
const pairs = [
  ["Our package manager is npm.", "We switched from npm to pnpm.", "Which package manager do we use?"],
  ["Nadia leads the search team.", "Oscar took over the search team from Nadia.", "Who leads the search team?"],
  ["Priya Nair owns invoicing; ask her about credit notes.", "Priya Nair has left the company; invoicing is now owned by Daniel Osei.", "Who owns invoicing?"],
  ["Billing has one cluster. Deploys go through ArgoCD app billing-prod.", "We no longer use ArgoCD; deploys now go through Flux.", "How do we deploy to production?"],
  ["The staging server is in Frankfurt.", "The staging server moved to Dublin.", "Where is the staging server?"],
  ["Images are hosted on Cloudinary.", "We do not use Cloudinary any more; images are hosted on Imgix.", "Where are images hosted?"],
  ["The CI for billing runs on Buildkite.", "The CI for billing runs on GitHub Actions.", "Where does CI run for billing?"],
  ["On-call: week A is Ivan, week B is Sofia.", "Sofia moved to team Data; on-call week B is now Piet.", "Who is on call in week B?"],
  ["Sprint planning is on Mondays at 10.", "Sprint planning is now on Thursdays at 9.", "When is sprint planning?"],
  ["Das Deployment läuft über Jenkins.", "Statt Jenkins nutzen wir jetzt Woodpecker für das Deployment.", "Womit läuft das Deployment?"],
  ["仓库使用 Maven 构建。", "我们不再使用 Maven，现在用 Gradle 构建仓库。", "仓库用什么构建？"],
] as const;
const others = [
  "The invoices are rendered with WeasyPrint.", "Money is stored in integer cents.", "Lena designs the mobile screens.", "The release train leaves on the first Tuesday of the month.",
  "Sentry collects the errors of the web app.", "Backups of the database are kept for 35 days.", "The style guide asks for PascalCase components.", "Traefik is the reverse proxy in the cluster.",
];

test.each(pairs)("%s / %s: what was said later stands first and the other one names it [D5]", async (earlier, later, question) => {
  const { owner } = await newTeam();
  for (const content of [...others, earlier, later]) await owner.call("omn_store_memory", { content });
  await indexed(owner.principal);
  const { structured } = await owner.call("omn_retrieve_memory", { query: question });
  const found = structured["memories"] as { memory_id: string; content: string }[];
  expect(found[0]).toMatchObject({ content: later });
  const old = found.find(({ content }) => content === earlier);
  if (old) expect(["superseded_by", "may_be_outdated_by"].some((name) => (old as Record<string, unknown>)[name] === found[0]?.memory_id)).toBe(true);
});

test.each([
  ["Deploys to production go through ArgoCD.", ["The docs are now deployed on Fridays.", "Nadia moved to Lisbon."], "What do deploys to production go through?"],
  ["We use Stripe for payments.", ["Data from Stripe is now imported nightly.", "The left sidebar changed its colour."], "Which provider do we use for payments?"],
  ["The owner of invoicing is Priya Nair.", ["Priya Nair moved to Lisbon.", "Credit notes are now sent with the invoice."], "Who is the owner of invoicing?"],
  ["The checkout service listens on port 8443.", ["The newsletter service listens on port 9100 now."], "On which port does checkout listen?"],
  ["The invoices of the shop are kept for ten years.", ["The logs of the shop are now kept for ten days."], "How long are invoices kept?"],
  ["Backups of the orders database run every night at 2.", ["Backups of the media bucket now run every night at 4."], "When do backups of the orders database run?"],
  ["Die Rechnungen des Portals werden zehn Jahre aufbewahrt.", ["Die Logs des Portals werden jetzt zehn Tage aufbewahrt."], "Wie lange werden Rechnungen aufbewahrt?"],
  ["The timeout of the payment gateway is 30 seconds.", ["The timeout of the search gateway is now 5 seconds."], "What is the timeout of the payment gateway?"],
])("%s: what only sounds like a change of it leaves it first, and does not call it out of date [D5]", async (said, later, question) => {
  const { owner } = await newTeam();
  for (const content of [...others, said, ...later]) await owner.call("omn_store_memory", { content });
  await indexed(owner.principal);
  const { structured } = await owner.call("omn_retrieve_memory", { query: question });
  const [first] = structured["memories"] as { content: string }[];
  expect(first).toMatchObject({ content: said });
  expect(first).not.toHaveProperty("may_be_outdated_by");
});

test("a question about the past has what held then first", async () => {
  const { owner } = await newTeam();
  for (const content of [...others, "The staging server is in Frankfurt.", "The staging server moved to Dublin."]) await owner.call("omn_store_memory", { content });
  const { structured } = await owner.call("omn_retrieve_memory", { query: "Where was the staging server before?" });
  expect((structured["memories"] as object[]).some((one) => "may_be_outdated_by" in one)).toBe(false);
});
