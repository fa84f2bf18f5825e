import type { RecognisedType } from "./type-cues.ts";

/** How much a note of a type matters before its words are looked at: what binds others matters more than what passes. */
const base: Record<RecognisedType, number> = {
  architecture_decision: 0.62,
  constraint: 0.6,
  bug_fix: 0.5,
  configuration: 0.48,
  entity: 0.48,
  insight: 0.5,
  code_pattern: 0.46,
  preference: 0.44,
  reference: 0.42,
  standard: 0.25,
};

/** What is expensive to forget: money, personal data, what is live, what the law or a customer asks for. */
const raising =
  /(?<![a-z])(?:payments?|charges?d?|double charge|money|ledger|invoices?|billing|data loss|disappeared|personal data|gdpr|dsgvo|pci|compliance|legal|contracts?|security|secur|credentials|passwords?|mfa|encrypt\w*|auth\w*|login|logged out|tenan\w*|transactions?|deadlock\w*|race condition|production|prod|outages?|deployments?|deadline|availability|backwards? compatible|forbidden|never|must not|event sourcing|audit|a third of|monolith\w*|microservices?|idempot\w*|internal services|zahlung\w*|abbuchung\w*|datenschutz|personenbezogen\w*|produktion|verboten|aufbewahr\w*|rechnungen|vertr[aä]g\w*|anmeldung|frist|sicherheit|mandant\w*|jamais|obligatoire|nunca|prohibido|producción)(?![a-z])|支付|扣款|个人信息|隐私|生产环境|上线|禁止|不得|安全|合同|登录|权限|多租户|微服务|单体|事务|幂等|截止|課金|個人情報|本番|禁止|ならない|認証|契約|セキュリティ|モノリス|トランザクション|期限/g;
/** What is gone or changed tomorrow, or concerns taste and looks. */
const lowering =
  /(?<![a-z])(?:typos?|icons?|css|fonts?|colou?rs?|themes?|lunch|coffee|dog|figma|designs?|articles?|papers?|course|videos?|talks?|spreadsheet|slack|channel|temp(?:orary)?|today|tomorrow|minor|cosmetic|z-index|spelling|vim|prettier|eslint|tsconfig|editor|vs code|log(?:_| )level|log lines|naming|boolean|starts? with|early returns?|return early|standup|app store|title|subject|designer|joined|intern|new hire|diagrams?|spacing|meetings?|welcome email|qa|links?|npm|reviews? of|unindented|hook|sprite|tippfehler|schriftgröße|besprechungen|termine?|werkstudent\w*|entw[uü]rfe|benennung|heißen|mittagessen|urlaub|verschoben|retro|java \d+)(?![a-z])|样式|弹窗|深色|午饭|请假|会议|实习|文章|设计稿|命名|布尔|日志级别|代码评审|测试一下|モーダル|ダークテーマ|ランチ|会議|インターン|記事|デザイン|変数名|命名|ログレベル|LOG_LEVEL|レビュー/g;

/** What a memory has of which nothing is said. */
const unknown = 0.5;
const step = 0.08;
const head = 1_500;

/** 0–1, from what the note is and says. `type` is undefined where no cue says what it is. */
export function importanceOf(content: string, type: RecognisedType | undefined): number {
  const text = content.slice(0, head).toLowerCase();
  const kinds = (pattern: RegExp): number => Math.min(3, new Set(text.match(pattern) ?? []).size);
  const raw = (type ? base[type] : unknown) + step * kinds(raising) - (type === "standard" ? step / 2 : step) * 1.5 * kinds(lowering);
  return Math.round(100 * Math.min(0.95, Math.max(0.1, raw))) / 100;
}
