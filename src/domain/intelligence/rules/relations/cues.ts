import { verbatim } from "../../../verbatim.ts";

/**
 * Words by which a statement is read, in English, German, Chinese and Japanese, in the form that `tokens.ts` gives them (lower
 * case, no plural s). The lists are short on purpose: a sentence that none of them opens is not read at all.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** They say nothing by themselves. */
export const fillers = words(verbatim`
  a an the this that our my your their its of and or as it we i you be been being do doe did have has had will it's about around exactly also just still always second-draft
  der die das den dem des ein eine einen einem einer eines unser unsere unseren unserer mein meine ihr ihre wir ich es und oder hat haben etwa ca auch noch
  的 了 我们 我 您 和 约 大约 の を が と も です されました しました なりました ます でした ました しています している します する という であり て 約 さん`);

/** Where a subject, or what a value is for, begins; without weight among the words of a subject. */
export const prepositions = words(verbatim`for through durch über of in on at with to by from per via into over than within after für von vom im auf an am bei mit zu zum zur unter nach aus pro innerhalb に で へ`);

export const definite = words("the our my der die das unser unsere unseren mein meine");

/** A subject that another sentence named. */
export const pronouns = words(verbatim`he she it they this that these those him her them er sie es dieser diese dieses 他 她 它 他们 这 那 彼 彼女 それ これ`);

export const negations = words(verbatim`not no never cannot can't don't doesn't isn't aren't won't nicht kein keine keinen keinem keiner nie niemals 不 没有 没 未 无需 不用 勿 ない ません ていません ていない していません していない ではない ではありません せず`);

/** Permission and duty, which a negation turns around; otherwise of no weight. */
export const modals = words(verbatim`must need muss müssen 必须`);

/** Such a sentence does not say that something is so now. */
export const unsure = words(verbatim`
  if unless whether might may could would should maybe perhaps probably consider considered considering propose proposed proposal suggest suggestion idea plan planned todo wish want hope say said claim claimed example e.g. discussed until when while
  wenn fall falls sofern ob vielleicht wohl könnte könnten sollte sollten würde vorschlag überlegen überlegt geplant idee laut angeblich bis beispiel
  如果 若 假如 要是 可能 也许 或许 建议 考虑 计划 打算 应该 据说 例如 比如 場合 もし かもしれません かもしれない 提案 検討 予定 例えば らしい`);

/** A single occasion: the next one may differ. */
export const occasions = words(verbatim`
  was were took got went yesterday today tomorrow ago worked lived visited met lasted
  war waren dauerte hatte wurde wurden gestern heute morgen 昨天 今天 明天 花了 去年 曾 曾经 昨日 今日 明日 かかりました でした`);

/** Something is otherwise than before. The verbs among them say so of their subject. */
export const changeWords = words(verbatim`
  now again nowaday currently anymore since instead formerly previously jetzt wieder vorher zuvor nun inzwischen mittlerweile seit sondern statt anstatt anstelle
  现在 目前 已 已经 現在 今は もう ようになりました やめて 代わりに ではなく`);
export const changeVerbs = words(verbatim`
  replaced replace switched moved relocated migrated changed upgraded bumped raised lowered increased reduced renamed downgraded ported converted transitioned extended shortened became
  umgestellt gewechselt umgezogen verschoben geändert erhöht gesenkt migriert ersetzt umgestiegen aktualisiert verlängert verkürzt gezogen verlegt
  改为 改用 改成 改到 换成 换成了 换到 迁移到 迁到 搬到 搬到了 升级到 升级为 提高到 降低到 延长到 缩短到 变为 变成 变成了 替换为 替换成 切换到
  移行 移行しました 変更 切り替え 切り替えました になりました に変わりました アップグレード 引っ越しました 延長 短縮`);

/** Those of them that say where to, and not what of. */
export const moves = words(verbatim`moved relocated migrated ported transitioned umgezogen gezogen verlegt migriert 迁移到 迁到 搬到 搬到了 移行 移行しました 引っ越しました`);

/** Phrases that are one cue; the right side stands in their place. */
export const phrases: readonly (readonly [readonly string[], readonly string[]])[] = (
  [
    ["no longer", "not now"], ["not any more", "not now"], ["used to be", "formerly"], ["was previously", "formerly"], ["was formerly", "formerly"], ["war früher", "vorher"], ["was replaced by", "supplanted"], ["were replaced by", "supplanted"], ["been replaced by", "supplanted"], ["as of", "since"], ["from now on", "now"], ["back to", "now"], ["instead of", "instead"], ["in place of", "instead"], ["decided against", "maybe"],
    ["nicht mehr", "not now"], ["ab sofort", "jetzt"], ["ab jetzt", "jetzt"], [verbatim`不再`, verbatim`不 现在`],
  ] as const
).map(([from, to]) => [from.split(" "), to.split(" ")]);

/** What follows one of these held until now; so does, in Japanese, what stands before one. */
export const beforeFormer = words(verbatim`from instead replaced replace left formerly previously statt anstatt anstelle von ersetzt vorher zuvor 从 由 把 将 代替 取代 而不是 以前是 之前是 原来是`);
export const behindFormer = words(verbatim`supplanted から やめて 代わりに の代わりに ではなく では`);
/** Those of them that say by themselves that something changed: "from" may be anything's. */
export const surelyFormer = words(verbatim`instead replaced replace left formerly previously supplanted statt anstatt anstelle ersetzt vorher zuvor 代替 取代 而不是 以前是 之前是 原来是 やめて 代わりに の代わりに ではなく`);

/**
 * What a verb says of its subject: `is` equates them; `one` holds for one value at a time, `number` does so for quantities,
 * `role` has one person, and of `many` several hold side by side.
 */
export type VerbKind = "is" | "one" | "number" | "role" | "many";
const verbsOfKind: Record<VerbKind, string> = {
  is: verbatim`is,are,=,ist,sind,beträgt,betragen,lautet,wird,werden,是,为,は`,
  one: verbatim`run on,deploy on,deployed on,deployed to,deploy to,hosted on,hosted in,live in,work at,work for,prefer,stored in,written in,built with,built on,end in,happen on,listen on,based in,store
    läuft auf,laufen auf,wohnt,wohne,lebt,lebe,arbeitet bei,arbeite bei,bevorzugt,liegt,lauscht,geschrieben,gebaut,verwaltet,gespeichert
    住在,部署在,运行在,位于,编写,构建,存储在,工作于,托管在,通过,喜欢用,書かれて,書かれています,住んで,住んでいます,動いて,動いています,ビルドして,ビルドしています,管理して,管理しています`,
  number: verbatim`expire after,expire in,kept for,take,due,valid,allow,last,require,port,run at,start at,open at
    aufbewahrt,fällig,gültig,erlaubt,dauert,benötigt,öffnet,läuft um,保留,允许,需要,保存され,保存されます,実行され,実行されます,在,まで`,
  role: verbatim`lead,leads,own,leitet,负责`,
  many: verbatim`use,using,leave,meet,begin,track,host,hosting,send,sent,manage,ship,publish,happen,tracked,managed,published,served,used,support,like,depend,read,write,return,include,speak,go,run,deploy,work,listen,keep,review,reviewed,validate,designed,owned,hosted,fixed,reported,called,written,monitored,accept,contain,signed,export,import,know,have
    nutzt,nutzen,verwendet,verwenden,unterstützt,unterstützen,mag,spricht,liest,schreibt,hängt,gehört,gehen,geht,enthält,läuft,laufen,arbeitet,entworfen,behoben,gemeldet,geboren,verschicken,versenden,senden,hosten,verschickt,gehostet,verwalten
    使用,用,支持,管理,托管,发送,喜欢,读取,写入,依赖,包含,会说,返回,使って,使っています,使います,対応,好き,話し,話します,働いて,働いています,読み込み,書き出し,使用して,送信して,送信しています,ホストして,ホストしています`,
};
const strength: Record<VerbKind, number> = { one: 4, number: 3, role: 3, many: 2, is: 1 };
const verbs = new Map<string, VerbKind>();
for (const [kind, forms] of Object.entries(verbsOfKind) as [VerbKind, string][]) for (const form of forms.split(/[,\n]\s*/)) verbs.set(form.trim(), kind);

export interface Verb {
  kind: VerbKind;
  start: number;
  end: number;
}

const verbWords = new Set([...verbs.keys()].flatMap((form) => form.split(" ")));
export const isVerbWord = (word: string): boolean => (verbWords.has(word) || (/^[a-z]{3,}ing$/.test(word) && [word.slice(0, -3), `${word.slice(0, -3)}e`].some((stem) => verbWords.has(stem)))) && !prepositions.has(word);
/** All copulas are one relation. */
export const relationOf = (word: string): string => (verbs.get(word) === "is" ? "is" : word);

/** The verb of a clause begins where its first one does, and is of the strongest kind that is there: `is … written in`, `wird … gebaut`. */
export function verbIn(clause: readonly string[]): Verb | undefined {
  let found: Verb | undefined;
  for (let i = 0; i < clause.length; i += 1) {
    const both = verbs.get(`${clause[i]} ${clause[i + 1]}`);
    const kind = both ?? verbs.get(clause[i] as string);
    if (!kind) continue;
    // "Deploys happen on Fridays": the first one is the subject.
    if (!found || (found.start === 0 && i === 1 && found.end === 1)) found = { kind, start: i, end: i + (both ? 2 : 1) };
    else if (strength[kind] > strength[found.kind]) found = { ...found, kind };
  }
  return found;
}

/** Of a subject with one of these there is one: the port, the limit, who is responsible. */
const attributes = verbatim`owner lead leader manager maintainer limit port version timeout ttl size url address region branch editor vendor provider deadline budget name count number threshold quota interval frequency default licence license timezone currency price cost birthday hostname domain endpoint password-length
  zuständig verantwortlich inhaber leiter leiterin grenze größe adresse frist anzahl dauer preis schwelle
  负责人 经理 组长 端口 版本 上限 限流 超时 时间 有效期 地址 区域 大小 名称 数量 价格 频率 担当者 リーダー マネージャー ポート バージョン 制限 タイムアウト 期間 アドレス リージョン 名前 回数 料金`.split(/\s+/);
export const roles = words(verbatim`owner lead leader manager maintainer zuständig verantwortlich inhaber leiter leiterin teamleiter teamleiterin 负责人 项目经理 经理 组长 担当者 リーダー マネージャー プロジェクトマネージャー`);

/** Compounds count: `Dateigröße`, `Rate-Limit`, `缓存时间`. */
export const isAttribute = (word: string): boolean => attributes.some((name) => word === name || word.endsWith(`-${name}`) || ((name.length >= 5 || /[^a-zäöüß]/.test(name)) && word.endsWith(name)));

/** Restrictions: a text that adds one says less, not more. */
export const restrictions = words(verbatim`only except unless if but without before until nur außer ausser wenn aber ohne bevor bis 只 仅 除了 除非 但 如果 だけ のみ 以外 ただし 場合`);

/** Places, stages and times in which something else may hold. */
export const scopes = words(verbatim`
  local locally staging stage prod production dev development test ci windows linux macos weekday weekend saturday sunday eu us lokal produktion werktag werktags samstag samstags sonntag sonntags
  本地 生产环境 测试环境 开发环境 生产 测试 工作日 周末 ローカル 本番 ステージング 平日 週末`);

/** What is said holds beside what else there is. */
export const additions = words(verbatim`too also additionally besides both another auch zusätzlich ebenfalls außerdem weitere 也 还 另外 同时 も 併用 追加`);

/** Days, months and the like: when something changed, not what. */
export const times = words(verbatim`
  last next week month year day today yesterday monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december quarter spring summer autumn winter recently finally
  letzte letzten letzter woche monat jahr heute gestern januar februar märz mai juni juli oktober dezember kürzlich endlich
  上周 本周 上个月 今年 去年 今天 昨天 最近 先週 今週 先月 昨日 今日`);

export const weekday = /^\d{1,2}:\d{2}$|^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:mon|diens|donners|frei|sams|sonn)tags?$|^mittwochs?$|[周期拜][一二三四五六日天]|[一二三四五六七八九十两\d]点|曜日?$/;
export const isTime = (word: string): boolean => times.has(word) || weekday.test(word);

const often = words(verbatim`every each other once twice two three four a per the hourly daily weekly biweekly monthly quarterly yearly minute hour day week month quarter year minutes hours days weeks months quarters years alle jede jeden zwei drei vier pro täglich wöchentlich monatlich tage wochen monate`);
/** How often: "every two weeks", "weekly". */
export const isRate = (slot: readonly string[]): boolean => slot.some((word) => /ly$|lich$|^(?:every|each|once|twice|per|pro|alle|jeden?)$/.test(word)) && slot.every((word) => often.has(word) || /^\d+$/.test(word));

/** They hold a sentence of change together. */
export const auxiliaries = words(verbatim`was were been got bin bist ist wurde wurden worden haben sind but 上 里 中 是 来 使用 もう 今は`);

/** Who speaks. */
export const firstPerson = words(verbatim`i my me ich mein meine mir mich 我 私 僕`);

/** Words of Chinese and Japanese that hold one of the cues and mean something else. */
export const notCues = words(verbatim`用户 作用 费用 信用 应用 因为 认为 作为 行为 成为 为了 但是 可是 还是 总是 正在 存在 在线 不同 不过 未来 已知 是否 管理器 管理员 もの こと ところ とき ため`);

/** All cues of scripts without spaces, which are cut out of the run that they stand in. */
export const uncutCues: readonly string[] = [
  fillers, prepositions, pronouns, negations, modals, unsure, occasions, changeWords, changeVerbs, beforeFormer, behindFormer, additions, times, notCues, new Set(verbs.keys()), new Set([verbatim`不再`]),
].flatMap((set) => [...set]).filter((word) => /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+$/u.test(word));
