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
  ["The user lives in Kiel.", "The user moved to Bonn.", "Where does the user live?"],
  ["The CI runs on Jenkins.", "CI was migrated to GitHub Actions.", "What does CI run on?"],
  ["Standup is at 9:30.", "Standup moved to 10:00.", "When is standup?"],
  ["The database is MySQL 8.", "We migrated the database to Postgres 16.", "Which database do we use?"],
  ["Errors go to Sentry.", "Errors were moved to GlitchTip.", "Where do errors go?"],
  ["The Berlin office is at Torstrasse 1.", "The Berlin office relocated to Chausseestrasse 8.", "Where is the Berlin office?"],
  ["Der Nutzer wohnt in Kiel.", "Der Nutzer ist nach Bonn gezogen.", "Wo wohnt der Nutzer?"],
  ["Die Tests laufen mit Jest.", "Wir haben die Tests auf Vitest umgestellt.", "Womit laufen die Tests?"],
  ["The user has a dog called Rex.", "Rex died in October.", "Does the user have a dog?"],
  ["Node 18 is our runtime.", "We bumped the runtime to Node 22.", "Which runtime do we use?"],
  ["We ship every two weeks.", "We ship weekly now.", "How often do we ship?"],
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
  ["The max upload size is 25 MB for enterprise customers.", ["The max upload size is now 20 MB."], "What is the max upload size for enterprise customers?"],
  ["Docs are on Vercel now, the blog stays on Netlify.", ["We switched from Netlify to Vercel."], "Where is the blog?"],
  ["Deploys to production go through ArgoCD.", ["The docs are now deployed on Fridays.", "Nadia moved to Lisbon."], "What do deploys to production go through?"],
  ["We use Stripe for payments.", ["Data from Stripe is now imported nightly.", "The left sidebar changed its colour."], "Which provider do we use for payments?"],
  ["The owner of invoicing is Priya Nair.", ["Priya Nair moved to Lisbon.", "Credit notes are now sent with the invoice."], "Who is the owner of invoicing?"],
  ["The checkout service listens on port 8443.", ["The newsletter service listens on port 9100 now."], "On which port does checkout listen?"],
  ["The invoices of the shop are kept for ten years.", ["The logs of the shop are now kept for ten days."], "How long are invoices kept?"],
  ["Backups of the orders database run every night at 2.", ["Backups of the media bucket now run every night at 4."], "When do backups of the orders database run?"],
  ["Die Rechnungen des Portals werden zehn Jahre aufbewahrt.", ["Die Logs des Portals werden jetzt zehn Tage aufbewahrt."], "Wie lange werden Rechnungen aufbewahrt?"],
  ["The user lives in Kiel.", ["The user moved to Linux.", "Tom moved to Bonn."], "Where does the user live?"],
  ["The search team meets on Mondays.", ["The search team moved to Scrum."], "When does the search team meet?"],
  ["The orders database is slow on Mondays.", ["We migrated the orders database to Postgres 16."], "When is the orders database slow?"],
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

/** As people write them, all in one project. */
const everyday: readonly (readonly [earlier: string, later: string, question: string])[] = [
  ["Emails to customers go out through Mailgun.", "Mailgun was cancelled in March, mails to customers go out through Postmark.", "Which service sends the emails to customers?"],
  ["Our feature flags live in LaunchDarkly.", "Feature flags are in Unleash since LaunchDarkly got too expensive.", "Where do our feature flags live?"],
  ["The e2e tests run with Cypress.", "Cypress is gone, the e2e tests are all Playwright.", "What do the e2e tests run with?"],
  ["The return period for shoes is 14 days.", "From 1 March on the return period for shoes is 30 days.", "How long is the return period for shoes?"],
  ["Logs are shipped to Datadog.", "We removed Datadog; logs are shipped to Loki.", "Where are logs shipped?"],
  ["Rosa's laptop runs Debian with zsh instead of bash; her editor is Emacs.", "Rosa now edits in Zed instead of Emacs.", "Which editor does Rosa use?"],
  ["Urlaubsanträge gehen an Frau Kern.", "Seit Mai gehen Urlaubsanträge an Herrn Doll, Frau Kern ist in Rente.", "An wen gehen Urlaubsanträge?"],
  ["Die Kantine schließt um 14 Uhr.", "Ab Juni schließt die Kantine um 15 Uhr.", "Wann schließt die Kantine?"],
  ["Rechnungen verschicken wir mit Lexoffice.", "Lexoffice ist gekündigt, Rechnungen verschicken wir mit sevDesk.", "Womit verschicken wir Rechnungen?"],
  ["La boutique est hébergée chez OVH.", "Nous avons quitté OVH : la boutique est désormais hébergée chez Scaleway.", "Où est hébergée la boutique ?"],
  ["Les livraisons partent le mardi.", "Depuis avril les livraisons partent le jeudi.", "Quel jour partent les livraisons ?"],
  ["The mobile app is written in Flutter.", "The mobile app was rewritten, Flutter is no longer used; it is Kotlin and Swift.", "What is the mobile app written in?"],
  ["Invoices are kept for 8 years.", "Invoices are not kept for 8 years but for 10 years.", "How long are invoices kept?"],
  ["We indent by 2 spaces in TypeScript.", "No, it is 4 spaces in TypeScript, not 2.", "How many spaces in TypeScript?"],
  ["We decided against GraphQL.", "Scrap that, GraphQL is back: we decided to use it for the mobile API.", "GraphQL decision"],
  ["The maximum upload size is 20 MB.", "The maximum upload size was raised to 50 MB.", "What is the maximum upload size?"],
];
/** What was decided, planned or suspected, and what came of it. */
const reversed: typeof everyday = [
  ["We decided to stay on Kafka 3.6 this year.", "We reverse the decision about Kafka and go to 3.7.1.", "Which Kafka version do we run?"],
  ["The launch of the partner portal is planned for 14 April.", "The launch of the partner portal slipped to 5 May.", "When is the launch of the partner portal?"],
  ["The migration of the data centre is on 3 March.", "The migration of the data centre was postponed to 10 April.", "When is the migration of the data centre?"],
  ["The opening of the new warehouse slipped to May.", "The opening of the new warehouse was delayed to June.", "When is the opening of the new warehouse?"],
  ["Transactional mails go out through Mailjet.", "We are switching mails from Mailjet to Postal.", "Which service sends transactional mails?"],
  ["We suspect the thumbnail cache as the cause of the memory leak.", "The cause of the memory leak turned out to be libvips, the thumbnail cache is innocent.", "What is the cause of the memory leak?"],
  ["The offsite takes place in Leipzig.", "The offsite takes place in Dresden after all.", "Where does the offsite take place?"],
  ["The trial period is 14 days.", "The trial period was shortened to 7 days.", "How long is the trial period?"],
  ["Der Umzug ins neue Büro ist am 3. März.", "Der Umzug ins neue Büro wurde auf den 10. April verschoben.", "Wann ist der Umzug ins neue Büro?"],
  ["Die Buchhaltung bleibt bei Oracle.", "Die Entscheidung für Oracle ist revidiert, die Buchhaltung geht auf PostgreSQL.", "Welche Datenbank hat die Buchhaltung?"],
  ["Frau Stein hält das Seminar über Datenschutz.", "Das Seminar über Datenschutz hält doch nicht Frau Stein, sondern Herr Wolf.", "Wer hält das Seminar über Datenschutz?"],
];
/** An earlier note, a later one that has a word of it and changes nothing of it, and a question for the earlier one. */
const lookAlikes: typeof everyday = [
  ["The launch of the partner portal is announced by Ines.", "The launch of the partner portal slipped to 5 May.", "Who announces the launch of the partner portal?"],
  ["Der Umzug ins neue Büro kostet 40.000 Euro.", "Der Umzug ins neue Büro wurde auf den 10. April verschoben.", "Was kostet der Umzug ins neue Büro?"],
  ["The cause of the outage of the search cluster was a full disk.", "The search cluster turned out to be faster with fewer shards.", "What is the cause of the outage of the search cluster?"],
  ["Das Lager hat samstags geöffnet.", "Das Lager in Kiel hat doch eine Rampe.", "Wann hat das Lager geöffnet?"],
  ["The offsite has a budget of 3,000 euros.", "The offsite takes place in Dresden after all.", "What is the budget of the offsite?"],
  ["The rate limit of the Stripe API is 100 requests a second.", "Stripe webhook header renamed from stripe-signature-v0 to stripe-signature.", "What is the rate limit of the Stripe API?"],
  ["Seeds are written with Faker in db/seeds.", "Replaced the hand-written parser around Stripe by a generated one.", "How are seeds written?"],
  ["The weekly order of jobs is backup, vacuum, report.", "We use cron no longer for order mails.", "What is the weekly order of jobs?"],
  ["2026-03-02T04:31:07Z ERR geocode: Post http://mapbox.internal: timeout", "Switched from Mapbox to Photon for geocoding, the geocode timeout is 2 s.", "geocode timeout"],
  ["Session summary 3 March: wrote the import of suppliers, next: tests.", "Session summary 9 March: moved the import of suppliers to a worker, changed the tests.", "session summary import of suppliers"],
  ["Login bug: the session cookie was set without Secure; fixed in auth.ts.", "The session cookie is now called sid instead of session.", "Why was the session cookie wrong at login?"],
  ["Database backups run with pgBackRest at night.", "Database backups now raise an alert when they fail.", "What do database backups run with?"],
  ["Nora approves changes of prices.", "Nora is now also in the works council.", "Who approves changes of prices?"],
  ["The parking garage opens at 6.", "The bike cellar opens at 7 since January.", "When does the parking garage open?"],
  ["Die Heizung im Lager ist auf 12 Grad gestellt.", "Im Lager steht jetzt statt des Druckers ein Scanner.", "Auf wie viel Grad ist die Heizung im Lager gestellt?"],
  ["Paketscheine druckt der Zebra im Versand.", "Im Versand gibt es seit Mai eine neue Waage.", "Wer druckt die Paketscheine im Versand?"],
  ["Reklamationen bearbeitet Frau Lutz.", "Frau Lutz hat jetzt ein neues Büro.", "Wer bearbeitet Reklamationen?"],
  ["Les factures sont archivées dix ans.", "Les devis sont désormais archivés deux ans.", "Combien de temps les factures sont-elles archivées ?"],
  ["Le support répond au téléphone de 9 h à 17 h.", "Le téléphone de l'entrepôt a été remplacé.", "Quand le support répond-il au téléphone ?"],
  ["The nightly list: 01:00 backup, 02:00 Mapbox refresh, 03:00 reports.", "Switched from Mapbox to Photon for geocoding.", "When do the nightly reports run?"],
  ["Dark mode: done, released in 3.4.0.", "Retro 9 March: good – dark mode released; changed – who reviews.", "Is dark mode released?"],
  ["Coupons cannot be combined with sale prices.", "Coupons are now printed on recycled paper.", "Can coupons be combined with sale prices?"],
  ["The staging database has 40 GB.", "The staging shop moved to a new domain.", "How large is the staging database?"],
  ["The order form asks for a phone number.", "The order form is not sent by mail but by fax.", "What does the order form ask for?"],
  ["Vouchers are printed in green.", "Vouchers of the market are blue, not grey.", "In what colour are vouchers printed?"],
  ["Ben approves prices.", "The label printer moved from Ben to Ida.", "Who approves prices?"],
  ["Google Workspace handles our mail.", "We moved from Google Maps to MapLibre.", "What handles our mail?"],
  ["The image service resizes to 1200 pixels.", "The image service has been quieter since the last deploy.", "To how many pixels does the image service resize?"],
];

/** The answers to the questions of pairs that all stand in one team, the later ones of all behind the earlier ones. */
async function answersTo(all: typeof everyday): Promise<{ pair: (typeof everyday)[number]; found: { memory_id: string; content: string; may_be_outdated_by?: string; superseded_by?: string }[] }[]> {
  const { owner } = await newTeam();
  for (const content of [...all.map(([earlier]) => earlier), ...others, ...all.map(([, later]) => later)]) await owner.call("omn_store_memory", { content });
  await indexed(owner.principal);
  const answers = [];
  for (const pair of all) {
    const { structured } = await owner.call("omn_retrieve_memory", { query: pair[2] });
    answers.push({ pair, found: structured["memories"] as { memory_id: string; content: string }[] });
  }
  return answers;
}

test.each([["said", everyday], ["reversed", reversed]] as const)("of everyday notes about the same the later one stands first, in whatever words it says that something changed [D5] (%s)", async (_what, notes) => {
  const missed = (await answersTo(notes)).filter(({ pair: [, later], found }) => found[0]?.content !== later);
  expect(missed.map(({ pair, found }) => [pair[0], found[0]?.content])).toEqual([]);
});

test("a note that shares a name or some words with an earlier one about something else does not call it out of date [D5]", async () => {
  const marked = (await answersTo(lookAlikes)).flatMap(({ found }) => found).filter((one) => one.may_be_outdated_by !== undefined || one.superseded_by !== undefined);
  expect(marked.map(({ content }) => content)).toEqual([]);
});

test.each(["mobile app", "tell me about the mobile app"])("%s: of all that is said of one thing, a change puts out of date what it changes, and nothing else [D5]", async (query) => {
  const { owner } = await newTeam();
  const told = ["The mobile app supports iOS 15 and later.", "The mobile app has 12,000 daily users.", "The mobile app is released every second Tuesday.", "The mobile app keeps its state in Redux."];
  for (const content of [...others, ...told, "The mobile app moved from Redux to Zustand."]) await owner.call("omn_store_memory", { content });
  await indexed(owner.principal);
  const found = (await owner.call("omn_retrieve_memory", { query, min_relevance: 0 })).structured["memories"] as { content: string; may_be_outdated_by?: string }[];
  expect(found.filter((one) => one.may_be_outdated_by !== undefined || "superseded_by" in one).map(({ content }) => content)).toEqual(["The mobile app keeps its state in Redux."]);
});

test.each([["mnemosyne_recall", (query: string) => ({ query })], ["memory_search", (query: string) => ({ query })], ["search", (query: string) => ({ query })], ["search_memory", (query: string) => ({ query: { text: query } })]] as const)(
  "%s says which memory is out of date, too, and search when nothing is certain [D5] [U5]",
  async (tool, asking) => {
    const { owner } = await newTeam();
    const [earlier, later, question] = everyday[1] as (typeof everyday)[number];
    for (const content of [...others, earlier, later]) await owner.call("omn_store_memory", { content });
    await indexed(owner.principal);
    const { text } = await owner.call(tool, asking(question));
    expect(text.indexOf(later)).toBeLessThan(text.indexOf(earlier));
    expect(text).toMatch(/"may_be_outdated_by":"[\da-f-]{36}"/);
    if (tool === "search") expect((await owner.call(tool, asking("kubernetes payroll"))).text).toMatch(/"results":\[\]|nothing certain/);
  },
);

test("a German question that begins with Was asks for what is so now [D5]", async () => {
  const { owner } = await newTeam();
  for (const content of [...others, "Unsere Zeiterfassung ist Clockodo.", "Clockodo wurde abgeschafft, die Zeiterfassung läuft über Personio."]) await owner.call("omn_store_memory", { content });
  const { structured } = await owner.call("omn_retrieve_memory", { query: "Was ist unsere Zeiterfassung?" });
  expect((structured["memories"] as { content: string }[])[0]).toMatchObject({ content: "Clockodo wurde abgeschafft, die Zeiterfassung läuft über Personio." });
});

test("a question about the past has what held then first", async () => {
  const { owner } = await newTeam();
  for (const content of [...others, "The staging server is in Frankfurt.", "The staging server moved to Dublin."]) await owner.call("omn_store_memory", { content });
  const { structured } = await owner.call("omn_retrieve_memory", { query: "Where was the staging server before?" });
  expect((structured["memories"] as object[]).some((one) => "may_be_outdated_by" in one)).toBe(false);
});
