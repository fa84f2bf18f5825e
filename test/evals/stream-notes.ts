import { type Random, seeded } from "../bench/zipf.ts";

/** What teams tell their memory: facts drawn from templates in four languages, many of which differ in one word only, and the ways in which clients say them again. */

export type Entry =
  /** `key`: sent with an idempotency key. */
  | { kind: "new" | "retry" | "again" | "reworded"; fact: number; text: string; key: string | undefined }
  /** A client recalls the fact by these words and stores what it reads. */
  | { kind: "loop"; fact: number; query: string };

export interface Stream {
  entries: Entry[];
  /** Number of distinct facts. */
  facts: number;
  /** All texts that say a fact. */
  factOf: ReadonlyMap<string, number>;
}

type Language = "en" | "de" | "zh" | "ja";
type Draw = Record<"person" | "other" | "service" | "system" | "number" | "day" | "place" | "id" | "date" | "not", string>;
type Slot = keyof Draw;

const people = ["Nadia Brandt", "Oskar Lind", "Ilse Kern", "Jonas Weber", "Marisol Vega", "Petra Novak", "Tomas Hale", "Edda Voss", "Ansgar Rohde", "Milo Farrow", "Priya Nair", "Grace Odum"];
const names: Record<Language, readonly string[]> = {
  en: people, de: people,
  zh: ["王芳", "李强", "张伟", "陈静", "刘洋", "赵敏", "黄磊", "周涛", "吴婷", "徐丽"],
  ja: ["田中", "佐藤", "鈴木", "高橋", "渡辺", "伊藤", "山本", "中村", "小林", "加藤"],
};
const services = ["gateway", "ledger", "importer", "checkout", "search", "billing", "scanner", "mailer", "scheduler", "catalog", "identity", "uploader"];
const systems = ["Postgres", "Redis", "Kafka", "RabbitMQ", "Loki", "MinIO", "Vault", "ClickHouse", "Elastic", "Nomad"];
const days: Record<Language, readonly string[]> = {
  en: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"], de: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"],
  zh: ["周一", "周二", "周三", "周四", "周五"], ja: ["月曜", "火曜", "水曜", "木曜", "金曜"],
};
const places: Record<Language, readonly string[]> = {
  en: ["staging", "production", "the lab", "the test cluster"], de: ["Staging", "Produktion", "Labor", "Testcluster"],
  zh: ["预发环境", "生产环境", "实验室", "测试集群"], ja: ["検証環境", "本番環境", "実験室", "テスト環境"],
};
const negations: Record<Language, readonly string[]> = { en: ["", "not "], de: ["", "nicht "], zh: ["", "不"], ja: ["する", "しない"] };

const templates: Record<Language, readonly ((d: Draw) => string)[]> = {
  en: [
    (d) => `The ${d.service} service in ${d.place} keeps its sessions in ${d.system} for ${d.number} hours.`,
    (d) => `${d.person} reviews all changes to the ${d.service} module; ${d.other} stands in on ${d.day}.`,
    (d) => `We do ${d.not}restart the ${d.service} workers in ${d.place} after a deploy on ${d.day}.`,
    (d) => `The ${d.service} queue drops messages larger than ${d.number} KB, see ticket ${d.id}.`,
    (d) => `Backups of the ${d.service} database are kept in ${d.system} for ${d.number} days.`,
    (d) => `We moved the ${d.service} jobs to ${d.system} on ${d.date} because of ${d.id}.`,
    (d) => `${d.person} agreed with ${d.other} that the ${d.service} API should ${d.not}accept more than ${d.number} rows.`,
    (d) => `The alert ${d.id} fires when the ${d.service} latency in ${d.place} is above ${d.number} ms.`,
    (d) => `It isn't ${d.person} who signs off releases of ${d.service} in ${d.place}, it's ${d.other}.`,
  ],
  de: [
    (d) => `Der Dienst ${d.service} im ${d.place} hält seine Sitzungen ${d.number} Stunden lang in ${d.system}.`,
    (d) => `${d.person} prüft alle Änderungen am Modul ${d.service}, am ${d.day} vertritt ${d.other}.`,
    (d) => `Wir starten die Worker von ${d.service} im ${d.place} am ${d.day} ${d.not}neu.`,
    (d) => `Die Warteschlange von ${d.service} verwirft Nachrichten über ${d.number} KB, siehe Ticket ${d.id}.`,
    (d) => `Sicherungen der Datenbank von ${d.service} bleiben ${d.number} Tage in ${d.system}.`,
    (d) => `Der Alarm ${d.id} kommt, wenn ${d.service} im ${d.place} länger als ${d.number} ms braucht.`,
  ],
  zh: [
    (d) => `${d.place}的 ${d.service} 服务把会话保存在 ${d.system} 里${d.number}小时。`,
    (d) => `${d.person}负责审核 ${d.service} 模块的全部改动，${d.day}由${d.other}代班。`,
    (d) => `${d.day}发布之后我们${d.not}重启${d.place}的 ${d.service} 进程。`,
    (d) => `${d.service} 队列会丢弃超过${d.number}KB的消息，见工单 ${d.id}。`,
    (d) => `${d.service} 数据库的备份在 ${d.system} 保留${d.number}天。`,
  ],
  ja: [
    (d) => `${d.place}の ${d.service} サービスはセッションを ${d.system} に${d.number}時間保存する。`,
    (d) => `${d.service} モジュールの変更は${d.person}さんが確認し、${d.day}は${d.other}さんが代わる。`,
    (d) => `${d.day}のリリース後に${d.place}の ${d.service} ワーカーを再起動${d.not}。`,
    (d) => `${d.service} のキューは${d.number}KBを超えるメッセージを破棄する。チケットは ${d.id} を参照。`,
    (d) => `${d.service} のバックアップは ${d.system} に${d.number}日間保管する。`,
  ],
};

const everywhere: readonly ((text: string) => string)[] = [
  (text) => text.toLowerCase(),
  (text) => text.replace(/[.。]$/, ""),
  (text) => text.replace(/[.。]$/, "!"),
  (text) => `- ${text}`,
  (text) => `**${text}**`,
  (text) => `  ${text}\n`,
  (text) => `> ${text}`,
];
const reworded: Record<Language, readonly ((text: string) => string)[]> = {
  en: [
    (text) => `FYI: ${text}`, (text) => `Note that ${text.charAt(0).toLowerCase()}${text.slice(1)}`, (text) => `Please remember: ${text}`, (text) => `${text} Thanks!`,
    (text) => `By the way, ${text}`, (text) => `Quick note: ${text}`, (text) => text.replaceAll(/\b[Tt]he (?=\p{Ll})/gu, ""), (text) => text.replace("do not", "don't").replace("isn't", "is not").replace("it's", "it is"),
    (text) => `As mentioned before, ${text}`, (text) => `Hi team, ${text}`, (text) => `Small update for the notes: ${text}`,
  ],
  de: [
    (text) => `Übrigens: ${text}`, (text) => `Zur Info: ${text}`, (text) => `Bitte merken: ${text}`, (text) => `${text} Danke!`, (text) => `Wie gesagt, ${text}`, (text) => `Notiz: ${text}`,
    (text) => `Nur zur Info: ${text}`, (text) => `Hallo zusammen, ${text}`, (text) => `Kleine Notiz fürs Team: ${text}`,
  ],
  zh: [
    (text) => `请注意：${text}`, (text) => `备注：${text}`, (text) => `顺便说一下，${text}`, (text) => `${text}谢谢！`, (text) => `请记住，${text}`, (text) => text.replaceAll(" ", ""),
    (text) => text.replaceAll("，", ", "), (text) => `提醒一下：${text}`, (text) => `给大家同步一下：${text}`,
  ],
  ja: [
    (text) => `ちなみに、${text}`, (text) => `メモ：${text}`, (text) => `念のため、${text}`, (text) => `${text}よろしくお願いします。`, (text) => text.replace(/する。$/, "します。").replace(/しない。$/, "しません。"),
    (text) => text.replaceAll(" ", ""), (text) => `なお、${text}`, (text) => `皆さんに共有です。${text}`,
  ],
};

const one = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

const draws: Record<Slot, (random: Random, language: Language) => string> = {
  person: (random, language) => one(random, names[language]),
  other: (random, language) => one(random, names[language]),
  service: (random) => one(random, services),
  system: (random) => one(random, systems),
  number: (random) => String(2 + Math.floor(random() * 900)),
  day: (random, language) => one(random, days[language]),
  place: (random, language) => one(random, places[language]),
  id: (random) => `OPS-${100 + Math.floor(random() * 9_000)}`,
  date: (random) => `${1 + Math.floor(random() * 28)} ${one(random, ["January", "March", "May", "July", "October"])} 2026`,
  not: (random, language) => one(random, negations[language]),
};
const slots = Object.keys(draws) as Slot[];

interface Fact {
  language: Language;
  template: number;
  slots: Draw;
  text: string;
}

const languages: readonly Language[] = ["en", "en", "en", "de", "de", "zh", "ja"];

function drawFact(random: Random, facts: readonly Fact[]): Fact {
  const near = facts.length > 20 && random() < 0.3 ? one(random, facts.slice(-500)) : undefined;
  const language = near?.language ?? one(random, languages);
  const template = near?.template ?? Math.floor(random() * templates[language].length);
  const drawn = Object.fromEntries(slots.map((slot) => [slot, draws[slot](random, language)])) as Draw;
  // A neighbour of an earlier fact: one slot is another one.
  const changed = one(random, slots);
  const all = near ? { ...near.slots, [changed]: drawn[changed] } : drawn;
  return { language, template, slots: all, text: (templates[language][template] as (d: Draw) => string)(all) };
}

/** Of so many entries 30 % say what was said before. The same seed draws the same stream. */
export function drawStream(size: number, seed: number): Stream {
  const random = seeded(seed);
  const facts: Fact[] = [];
  const factOf = new Map<string, number>();
  const entries: Entry[] = [];
  const keyed: Extract<Entry, { text: string }>[] = [];
  const say = (entry: Extract<Entry, { text: string }>): void => {
    entries.push(entry);
    factOf.set(entry.text, entry.fact);
  };
  while (entries.length < size) {
    if (random() >= 0.3 || facts.length < 10) {
      const fact = drawFact(random, facts);
      if (factOf.has(fact.text)) continue;
      const key = random() < 0.3 ? `entry-${entries.length}` : undefined;
      facts.push(fact);
      say({ kind: "new", fact: facts.length - 1, text: fact.text, key });
      if (key !== undefined) keyed.push(entries.at(-1) as Extract<Entry, { text: string }>);
      continue;
    }
    // Most is said again soon.
    const back = random() < 0.5 ? Math.min(facts.length, 50) : facts.length;
    const index = facts.length - 1 - Math.floor(random() * back);
    const { language, text } = facts[index] as Fact;
    const kind = random();
    if (kind < 0.2 && keyed.length > 0) entries.push({ ...one(random, keyed.slice(-200)), kind: "retry" });
    else if (kind < 0.45) say({ kind: "again", fact: index, text, key: undefined });
    else if (kind < 0.85) say({ kind: "reworded", fact: index, text: reword(random, language, text), key: undefined });
    else entries.push({ kind: "loop", fact: index, query: text.replace(/[.。]$/, "") });
  }
  return { entries, facts: facts.length, factOf };
}

/** One of the language's ways, one of everybody's, or both. */
function reword(random: Random, language: Language, text: string): string {
  const own = random() < 0.75 ? one(random, reworded[language])(text) : text;
  return own === text || random() < 0.3 ? one(random, everywhere)(own) : own;
}
