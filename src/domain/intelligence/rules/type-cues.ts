import type { MemoryType } from "../../memories/memory-values.ts";
import { verbatim } from "../../verbatim.ts";

/**
 * How notes of each type are usually worded, in English, German, Chinese and Japanese, the commonest also in French and Spanish.
 * Patterns over lower-case text: `spaced` ones stand between word borders, `unspaced` ones anywhere, as those scripts have no
 * borders. Written on one half of `test/evals/sets/notes.json`.
 */
export interface Cues {
  /** One of them is enough to claim the type. */
  strong: Words;
  /** Two of them are. */
  medium: Words;
  /** They only decide between types. */
  weak?: Words;
}
export interface Words {
  spaced: string;
  unspaced: string;
}

/** The types that a note can be recognised as; `standard` stands for what is said in passing. */
export type RecognisedType = Exclude<MemoryType, "procedural" | "graph">;

const number = verbatim`\d[\d.,]*`;

export const typeCues: Record<RecognisedType, Cues> = {
  architecture_decision: {
    strong: {
      spaced: verbatim`adr[- ]?\d+|(?:we(?:'ve| have)?|team) (?:all )?(?:decided|settled|agreed|chose|opted)|decided (?:to|on|against|that|in favou?r)|decision:|agreed (?:in|to|on|that)|settled on|(?:going|went|go) with|opted for|picked [^.\n]{1,40} over|chosen (?:because|since|over)|architectur(?:e|al)|trade-?offs?|tenancy model|we will (?:use|build|invalidate|store|keep|move|split)|haben uns (?:für|gegen)|entschieden|entscheidung|beschluss|beschlossen|architektur[a-zß-ÿ]*|verworfen|(?:hemos|se ha) decidido|(?:nous avons|on a) décidé|décision|decisión`,
      unspaced: verbatim`决定|选用|选型|决策|敲定|定为|评审结论|架构|采用|改用|改走|決め[たる]|決定|採用|方針|アーキテクチャ|結論|見送|作り直`,
    },
    medium: {
      spaced: verbatim`instead of|rather than|, not [a-zß-ÿ]+,? because|rejected|turned down|alternatives?(?: was)?|considered|compared|in favou?r of|moves? (?:from|to)|migrat(?:e|ing|es) (?:from|to)|replaces?|supersedes|stays? an? |stays? for|design:|(?:deciding|main) (?:factor|argument)|reason:|which we accept|, not [a-zß-ÿ]+[.,]|was removed|were removed|stays? on|served with|fallback to|hand-written|, no database per|we accept|the edge|we split|will live in|talks? grpc|statt|anstatt|anstelle|künftig|zukünftig|abgelehnt|nicht mehr [^.\n]{1,40}sondern|au lieu de|plutôt que|en lugar de|en vez de`,
      unspaced: verbatim`代替|而不是|放弃|不再|暂不|保持|方案|迁移到|ではなく|をやめて|に切り替|に任せ|設計|移行する|比較した|維持し`,
    },
    weak: {
      spaced: "because|since|reason|so that|monoliths?|microservices?|monorepo|event sourcing|schema|queue|weil|pro mandant|warteschlange|outbox|proposed|cost",
      unspaced: verbatim`原因|因为|解耦|拆分|单体|微服务|理由|重視|モノリス|マイクロサービス|必要なため`,
    },
  },
  code_pattern: {
    strong: {
      spaced: verbatim`patterns?(?: for)?|conventions?|layout|table tests|always go through|is pure|no imports from|never by hand|idioms?|custom hooks?|newtypes?|context managers?|table[- ]driven|dependency injection|view models?|dtos?|decorators?|middleware|guard clauses?|early returns?|return early|returned as|in our [a-zß-ÿ]+ code|take(?:s)? the [a-zß-ÿ]+ as (?:first|last)|wrap(?:ped|s)? (?:[a-zß-ÿ]+ ){1,4}in|(?:use|with|call) (?:the |our )?[a-zß-ÿ]+ helper|helper is|helpers?|naming|follow the same (?:shape|pattern|form)|muster|konventionen|namenskonvention[a-zß-ÿ]*|benennung|result-objekt|fixtures?|factory function|patrón|motif`,
      unspaced: verbatim`封装|表驱动|命名规范|命名|统一以|统一返回|写成|写法|拦截器|注解写在|書き方|命名規則|で包む|包む|に統一|ファクトリ|factory 関数|フィクスチャ`,
    },
    medium: {
      spaced: verbatim`functions?|handlers?|components?|controllers?|repository|repositories|routers?|resolvers?|hooks?|exceptions?|unit tests?|tests (?:are|use)|results?<|inner functions|never import|never open|variables? (?:start|begin|names?)|starts? with (?:is|has)|prefix(?:ed)?|every (?:[a-zß-ÿ]+ ){1,3}has|as (?:the )?first argument|validate (?:at|input)|parsed type|log lines|one [a-zß-ÿ]+ per|modules?|inject|copy [a-z]\w{0,40} when|geben? (?:wir|nie)|heißen|testdaten|entities|mapper|stehen? an der|nie im|funktionen?|methode|bauen wir`,
      unspaced: verbatim`函数|接口统一|一律用|一律|用例|开头|异常|事务|関数|引数|境界|変数名|始め[る]|開始し|テストデータ|必ず[^。]{1,16}包`,
    },
    weak: { spaced: "code|class|type|struct|enum|async|transaction|layer|schicht|props", unspaced: verbatim`代码|层|コード|層|検証` },
  },
  bug_fix: {
    strong: {
      spaced: verbatim`fix(?:ed|es)?|bugs?|root cause|(?:was |is )?solved(?: by)?|resolved(?: it)?|workaround|crash(?:ed|es|ing)?|memory leak|deadlock(?:ed|s)?|race condition|regression|hotfix|patched|segfault(?:ed|s)?|exit code \d+|\w*exception in|nullpointerexception|flaky|behoben|gefixt|fehler in|korrigiert|speicherleck|ursache|abgestürzt|absturz|corrigé|corregido|arreglado`,
      unspaced: verbatim`修复|已解决|后解决|解决了|根因|内存泄漏|报错|崩溃|故障修|修正|不具合|バグ|直した|解決した|対応済|メモリリーク|文字化け`,
    },
    medium: {
      spaced: verbatim`cause(?:d by)?:?|failed|fails|failing|broke|broken|wrong|died|off by (?:one|a)|logged out|showed|shows|invalid|went negative|disappeared|hidden behind|works now|now (?:we|it|corrected)|we now|was missing|were never|was never|a missing|replaced|leaks?|leaking|upgrading to|down to \d|restored|double charges?|doppelte?|kaputt|falsche?n?|fehlte|nie geschlossen|ist es weg|jetzt korrigiert`,
      unspaced: verbatim`原因是|是因为|乱码|泄漏|现在改|已改为|改为|后正常|正常了|重复扣|没有移除|被遮|が原因|ずれて|していたため|していなかった|せい|崩れ|二重課金|直し|落ちる件`,
    },
    weak: { spaced: "because|since|error|issue|n\\+1|leak|timeouts?|weil|fehler", unspaced: verbatim`原因|缺少|问题|エラー|原因|なかった` },
  },
  configuration: {
    strong: {
      spaced: verbatim`(?:on|port|ports?|auf port) \d{2,5}|listens on|(?:is|are|was) set to|settings?|configured|configuration|config|defaults? to|default ttl|env(?:ironment)? (?:var(?:iable)?s?)|cron|pool size|timeouts? \d+|printwidth|[a-z][a-z0-9_.-]{2,40}\s?=\s?["']?[a-zß-ÿ\d]+|requests cpu|limit_req|maxmemory|appendonly|tsconfig|proxy_[a-zß-ÿ]+|client_max_body_size|umgebungsvariable[n]?|eingestellt|einstellung(?:en)?|steht [a-zß-ÿ]+ auf|(?:läuft|laufen) auf|(?:startet|läuft) täglich|konfigur[a-zß-ÿ]+|réglage|configuración|feature flag|flag [a-z_]+ is`,
      unspaced: verbatim`端口|配置|设为|设置|默认|环境变量|连接池大小|ポート|設定|デフォルト|環境変数|保持期間|プールサイズ|保存先`,
    },
    medium: {
      spaced: verbatim`enabled|disabled|points to|region|cache[sd]? [^.\n]{0,25}for \d+|runs (?:on|at|every)|(?:every|each) night|nightly|hosting:|retention(?: is)?|memory \d+|heap|replicas|compress on|partitions|jdk \d+|gradle \d|profile name|log_level|ttl|runs at \d|\d\d:\d\d utc|goes through [a-z.]+:\d+|${number} ?(?:mb|gb|mi|gi|ms|s|k)|(?:true|false)|staging:|in production:|aufbewahrung \d+|timeout|gzip an|täglich um|java \d+|compilesdk`,
      unspaced: verbatim`每天[^。]{0,6}执行|保留 ?\d+|关闭|开启|级别|秒|无效|毎日|に実行|無効|有効|にする|ステージング`,
    },
    weak: { spaced: "port|cluster|bucket|staging|build|cli|version|nginx|redis|kubernetes|helm", unspaced: verbatim`测试环境|本地|开发环境|開発環境|网关` },
  },
  constraint: {
    strong: {
      spaced: verbatim`must(?: not)?|must(?:n't)|(?:may|can) only|may not|cannot|can't|not allowed|isn't allowed|forbidden|prohibited|(?:is|are) required to|required by|(?:have|has|need|needs) to (?:stay|support|work|be|keep|run|remain|fit)|never (?:store|log|share|send|expose|commit)|no (?:[a-zß-ÿ]+ ){1,6}(?:to production|in production|between|without|dependencies)|limited to|at most|may not exceed|up to \d+ (?:hours|days)|never (?:by hand|on|before|again)|are never|is never|not accepted|needs? (?:her|his|their|the) approval|no exceptions|only (?:after|from|with|by)|expires? after|kept \d+ (?:days|months|years)|do not|don't|no more than|capped at|obliges?|gdpr|dsgvo|compliance|pci|isn't thread safe|not thread safe|(?:dürfen|darf) (?:nur|nicht|keine?|höchstens)|müssen|muss|verboten|untersagt|höchstens|maximal|kein(?:e|en)? (?:[a-zß-ÿ]+ ){1,5}ohne|pflicht|doit|doivent|interdit|obligatoire|debe(?:n|mos)?|prohibido|obligatorio`,
      unspaced: verbatim`不得|必须|禁止|最多|不能|不可以|不超过|严禁|上限|要兼容|てはならない|てはいけない|なければならない|禁止|以内|までしか|上限|必須|できない`,
    },
    medium: {
      spaced: verbatim`(?:an?|per|pro) (?:hour|minute|second|day|month|aufruf|minute|stunde)|below ${number}|above ${number}|longer than|up to ${number}|until the end of|are forbidden|freeze|licen[cs]e|legal:|approval|audit|deadline|must|budget|availability|kept for|${number} characters|backwards? compatible|support (?:[a-zß-ÿ]+ )?\d+|offline|freigabe|aufbewahr[a-zß-ÿ]+|bis ende|datenschutz|personenbezogene?n?|zehn jahre|vorher|fails above`,
      unspaced: verbatim`超过|每分钟|审批|出境|要先|每次[^。]{1,12}都要|只能|限制|批准|承認|個人情報|までに|までサポート|分あたり|収める|しか呼べ`,
    },
    weak: { spaced: "limits?|only|never|no|always|customers?|production|nur|ohne|immer", unspaced: verbatim`生产环境|周五|备份|機房|本番|金曜|必ず` },
  },
  entity: {
    strong: {
      spaced: verbatim`leads? the|heads the|(?:co-)?founded|managing director|runs (?:the|our|support|all)|is (?:our|the) [^.\n]{1,30}(?:adviser|lawyer|officer|accountant|director|contractor|supplier|volunteer)|works on|is the person|hosts|volunteers? in|head of|reports to|is (?:the|our|a) (?:[a-zß-ÿ]+ ){0,3}(?:contact|lead|leader|head|owner|designer|cto|ceo|cfo|manager|customer|partner|provider|engineer|machine|team|service|unit|client|vendor)|(?:is|are) (?:the )?contact|contact(?: for|:)|our (?:[a-zß-ÿ]+ ){0,2}(?:customer|partner|client|vendor)|joined (?:as|us|the)|is what we call|is the name of|consists? of|works? (?:as|for|from|mon[a-zß-ÿ]*|tue[a-zß-ÿ]*)|in the team|is responsible for|(?:owned|run|maintained) by|on call for|belongs to (?:exactly|the|one)|kotlin service|[a-zß-ÿ]+ service that|is the old|leitet|ansprechpartner(?:in)?|zuständig|(?:ist|sind) kunde|kunde seit|werkstudent(?:in)?|ist das altsystem|verwaltet|dirige|responsable d[a-zß-ÿ]+`,
      unspaced: verbatim`负责人|由[^，。]{1,12}维护|的服务|实习生|的代号|最大的客户|都找他|都找她|窓口|リーダー|担当し|顧客で|インターン|呼び名|で構成|社員|が担当`,
    },
    medium: {
      spaced: verbatim`team [a-zß-ÿ]+|[a-zß-ÿ]+ team|repo \w+\/\w+|written in|time zone|customer|since 20\d\d|identifies|contains|enterprise plan|sits in|is an? |is the |= |hardware partner|approves|sponsor|nobody else knows|contact|kunde|im team|das team|vertrieb|filialen|zählern`,
      unspaced: verbatim`负责|客户|签约|组的|每周来|平台组|はGo|サービスで|から契約|さんは|くんは|売上|出社|で書かれ`,
    },
    weak: { spaced: "she|he|they|plan|unit|project|service|legacy|office|person", unspaced: verbatim`组|团队|代号|服务|チーム|サービス|物流` },
  },
  insight: {
    strong: {
      spaced: verbatim`turns? out|turned out|(?:we|i) (?:learned|learnt|noticed|observed|found(?: out)?|saw|realised|realized|discovered|measured)|lesson|learned that|observed that|interesting(?:ly)?:?|profiling|looking at|surprisingly|dominated by|(?:was|were) waiting for|hadn't noticed|worth keeping in mind|off by a factor|by a factor of|accounts? for ${number}|erkenntnis|(?:wie )?sich gezeigt|(?:es )?zeigt(?:e)? sich|festgestellt|gelernt|herausgestellt|on a (?:appris|constaté)|hemos aprendido|resulta que`,
      unspaced: verbatim`压测发现|发现|经验|回顾|原来|事实证明|总结|計測した|分かった|わかった|判明|振り返|気づ|意外`,
    },
    medium: {
      spaced: verbatim`${number} ?%|on average|half (?:of|as|the)|a third of|most of (?:our|the)|from ${number}(?: [a-zß-ÿ]+)? to ${number}|${number} (?:ms|s) to ${number}|cut it|raised|dropp(?:ed|ing)|saves?|faster|slower|better (?:for|than)|beats?|more than|less than|take [a-zß-ÿ]+ days|out of|of the last|as we thought|wasn't|not by|collapses|got worse|followed|instead of network|half as|durchschnittlich|im schnitt|hälfte|weniger|statt ${number}|der letzten|nicht die|seit das|kamen von`,
      unspaced: verbatim`平均|一半|提高|降到|主要|转化率|最近|大半|半分|上がった|増やすと|きっかけ|直近|かかる|ヒット率|命中率`,
    },
    weak: { spaced: "p95|p99|latency|recall|rate|cost|conversion|completion|incidents?|customers|the planner|nicht", unspaced: verbatim`延迟|毫秒|故障|遅延|障害|率` },
  },
  reference: {
    strong: {
      spaced: verbatim`https?:\/\/\w+|see (?:the|also|docs?|incidents?)|docs?\/\w+|runbooks?|(?:in|on) the wiki|wiki\.|(?:is|are) (?:described|documented|explained|filed|stored|linked) (?:in|on|under|at)|(?:is|are) in (?:docs?|figma|confluence|notion|sharepoint|the wiki|[a-zß-ÿ]+-\d+)|can be found|articles?|papers?|arxiv|rfc ?\d+|link list|read \S{1,40}\/\S{1,40}|post-?mortem|confluence|sharepoint|spreadsheet|recording of|documentation|handbuch|findet sich|(?:liegt|liegen|stehen?|abgelegt) (?:unter|im|in)|abgelegt|siehe|artikel|documentación|voir|véase`,
      unspaced: verbatim`https?://|文档在|接口文档|手册|文章|设计稿|放在共享|详见|参见|参考|を参照|仕様書|手順書|記事|に置いて|論文|資料`,
    },
    medium: {
      spaced: verbatim`[\w-]{1,40}\.(?:md|ya?ml|pdf|hbs|json|txt)|[a-z]+-\d{2,5}|guide|dashboard|background|channel|template|glossary|tab "|legal\/|(?:unter|im) \S{1,40} > \S{1,40}|entw[uü]rfe|beschreibung|designs? for|questions (?:about|go to)`,
      unspaced: verbatim`地址|目录|见|文档|共享盘|は Figma に|ドライブ|にある|良い記事`,
    },
    weak: { spaced: "docs?|figma|link|book|course|talk|slides|video|ticket|dms", unspaced: verbatim`链接|链|リンク|デザイン` },
  },
  preference: {
    strong: {
      spaced: verbatim`i(?:'d| would)? (?:really |much )?(?:prefer|rather|like|love|hate|dislike|enjoy)|(?:don't|doesn't|do not) like|prefers?|preferences?|preferred|favou?rs?|favou?rite|would rather|(?<!looks )likes?(?= [a-z])|hates?|dislikes?|when (?:you )?(?:answer|reply|generate|writ)[a-zß-ÿ]*|always (?:talk|answer|reply|write)|wants? to be|for me$|(?:docs|answers|comments) for me|takes (?:his|her|their) coffee|please (?:write|use|answer|keep|don't|reply|avoid)|i use [^.\n]{1,30} everywhere|(?:ich|er|sie|wir) (?:mag|mögen)|ich mag|bevorzug[a-zß-ÿ]+|lieber|bitte (?:antworte|schreib|benutze|verwende|nutze)|ziehen [^.\n]{1,40} vor|vorlieben?|gefällt|je préfère|prefiero|prefiere`,
      unspaced: verbatim`喜欢|偏好|更倾向|倾向于|习惯|不想|请用|讨厌|的时候请|好み|好き|ほしい|お願いします|好む|嫌い|苦手`,
    },
    medium: {
      spaced: verbatim`use (?:[a-zß-ÿ]+ )?spelling|be (?:brief|short|concise)|suggest|keep (?:that|this) in mind|no summary|dark theme|light theme|keybindings|tone|rather than (?:by )?mail|auf deutsch|in (?:german|english|french)|kurz|helle?s? themes?`,
      unspaced: verbatim`中文|简短|尽量|深色|日本語で|短め|ダークテーマ|を先に|小さい PR|字号`,
    },
    weak: { spaced: "me|my|please|theme|meetings|style|spelling|ich|mir|bitte", unspaced: verbatim`请|我|私|です|会議|会议` },
  },
  standard: {
    strong: {
      spaced: verbatim`stand-?up:|lunch with|on (?:vacation|holiday|leave)|called in sick|thanks|thank you|just (?:testing|a test)|to-?do:?|moved to (?:mon|tues|wednes|thurs|fri)day|released \d[\d.]*|demo went|went well|currently (?:working|on)|temp(?:orary)? note|is late|second round|(?:hike|trip|party) is off|(?:this|yesterday) (?:afternoon|morning|evening)|as of (?:this|today|now)|im urlaub|mittagessen|verschoben|nur ein test|en vacances|de vacaciones`,
      unspaced: verbatim`今天请假|请假|午饭|火锅|改到|进度|测试一下|随便|お休み|ランチ|変更になり|進捗|動作確認|集合`,
    },
    medium: {
      spaced: "today|tomorrow|yesterday|tonight|hi,?|hello|sprint \\d+|next week|done as|interviewed|meeting|planning|open are|raining|rain all day|heute|morgen|gestern|nächste woche|stand [a-zß-ÿ]+:|termin|hallo|danke",
      unspaced: verbatim`今天|明天|昨天|周会|中午|今日|明日|昨日|昼は|定例|完了`,
    },
  },
};

const keyWordLists: Partial<Record<RecognisedType, string>> = {
  architecture_decision: "decision decisions adr architecture design",
  code_pattern: "pattern patterns convention conventions style snippet",
  bug_fix: "bug bugs bugfix fix incident incidents hotfix",
  configuration: "config configuration settings setting env hosting cluster",
  constraint: "constraint constraints limit limits rule rules policy compliance privacy",
  entity: "people person team customer vendor",
  insight: "insight insights lesson lessons learned learning finding findings",
  reference: "reference references ref link links docs runbook",
  preference: "pref prefs preference preferences",
  standard: "task tasks todo status progress standup",
};

/** What a part of a key says of the type. */
export const keyWords: Readonly<Record<string, RecognisedType | undefined>> = Object.fromEntries(
  Object.entries(keyWordLists).flatMap(([type, list]) => list.split(" ").map((word) => [word, type as RecognisedType])),
);
