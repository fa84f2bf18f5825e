/** Samples of what people and their tools store. */
export const prose: [kind: string, text: string][] = [
  [
    "a meeting note",
    `We met on Tuesday to decide how refunds should work. Maria argued that support agents need to approve anything above two
hundred euros, while Tom worried that customers would wait too long. In the end we agreed on a limit of five hundred euros for
the first month, after which finance will look at the numbers again. Until then every refund is written to the audit log, and
a weekly report goes to the team lead. Nobody objected to removing the old approval form, which had been broken since spring.`,
  ],
  [
    "an incident report",
    `At 14:05 the checkout started to answer slowly because the connection pool was exhausted. The cause was a background job that
opened a transaction for every order and never closed it when the payment provider timed out. We restarted the workers, raised
the limit from 20 to 50 connections and added a timeout of ten seconds. No orders were lost, but about 340 customers saw an
error page. The permanent fix is to move the call to the provider out of the transaction, which is planned for next week.`,
  ],
  [
    "a preference",
    `She likes short answers without an introduction, prefers examples over explanations, and wants tests written before the code.
When something is uncertain, say so plainly instead of guessing. Do not use emoji. Dates should be written the way people in
Germany write them, and prices should include tax. She usually works in the morning and reads messages again after lunch.`,
  ],
];

const code = `export async function revise(ctx: Context, input: ReviseInput): Promise<ReviseOutcome> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const current = await resolveOne(ctx, input.target);
    if (input.expectedVersion !== undefined && input.expectedVersion !== current.version) {
      return { outcome: "conflict", current, attempted: input.changes };
    }
  }
  throw new DomainError("CONFLICT", \`Other writers keep changing \${input.target.key}.\`, { mend: "Try again." });
}`;

const python = `def load(path: str, *, retries: int = 3) -> dict[str, Any]:
\t"""Reads a file; __doc__ and self._cache_ttl_seconds are kept."""
\tfor _ in range(retries):
\t\ttry:
\t\t\treturn json.loads(Path(path).read_text(encoding="utf-8"))
\t\texcept (OSError, ValueError) as e:
\t\t\tlogger.warning("retrying %r: %s", path, e)
\traise RuntimeError(f"{path!r} unreadable after {retries}x")`;

const json = JSON.stringify({
  orders: Array.from({ length: 12 }, (_, i) => ({ id: `ord_${i * 7919}`, total: i * 13.37, paid: i % 2 === 0, address: { zip: "10115", city: "Berlin" }, tags: ["b2b", null] })),
});

export const texts: [kind: string, text: string][] = [
  ...prose,
  ["TypeScript", code],
  ["Python with tabs", python],
  ["JSON", json],
  ["indented JSON", JSON.stringify(JSON.parse(json), null, 2)],
  ["Chinese", "我们决定在计费服务中使用PostgreSQL,因为它支持事务。退款超过五百欧元需要批准。龘靐齉爩鱻麤龗灪吁龖厵滟爨癵籱饢驫鲡鹂鸾麣纞虋讟钃骊郁鸜麷鞻韽"],
  ["Japanese", "請求サービスにはPostgreSQLを選びました。トランザクションが理由です。週次レポートは毎週月曜日に送られます。"],
  ["Korean", "우리는 결제 서비스에 포스트그레스를 선택했습니다. 환불은 승인이 필요합니다. 뷁쀍쁅뾀"],
  ["Russian and Greek", "Мы выбрали PostgreSQL для биллинга из-за транзакций. Επιλέξαμε τη βάση δεδομένων λόγω των συναλλαγών."],
  ["Arabic, Hebrew, Hindi, Thai", "اخترنا قاعدة البيانات بسبب المعاملات. בחרנו במסד הנתונים בגלל עסקאות. हमने लेनदेन के कारण यह डेटाबेस चुना। เราเลือกฐานข้อมูลนี้เพราะธุรกรรม"],
  ["German and Turkish", "Die Rückerstattungsgenehmigungsgrenze beträgt fünfhundert Euro. Geri ödeme sınırı beş yüz avrodur; çoğunluğun görüşü böyle."],
  ["emoji", "👍🎉 done 👨‍👩‍👧‍👦 family 🏳️‍🌈 flag 🇩🇪🇫🇷 🫠🫥🪿 and 𝕳𝖊𝖑𝖑𝖔 𓂀𓆣"],
  ["URLs", "https://example.com/a/b-c_d/index.html?utm_source=news&id=8f3kd9#sec-4.2 ftp://user:pw@10.0.0.1:2121/~x/%E2%9C%93.tar.gz"],
  ["hex and base64", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0 DEADBEEFCAFEBABE"],
  ["long identifiers", "AbstractSingletonProxyFactoryBeanDefinitionParser xmlHTTPRequestIDs SCREAMING_SNAKE_CASE_CONSTANT_NAME_2 kebab-case-css-class__element--modifier _zzyzx_qwrtpsdfg"],
  ["tables and rules", "| a | b |\n|---|:-:|\n| 1 |  2  |\n\n=====================================================================\n****  ____\t\t\t\n\n\n"],
  ["numbers and dates", "1234567890 3.14159265358979 2026-11-21T11:25:16.123Z +49 30 901820 192.168.178.255 1,000,000.00 ½ ² Ⅷ ٣٤٥"],
  ["special tokens", "<|endoftext|><|im_start|>system<|endofprompt|>"],
];
