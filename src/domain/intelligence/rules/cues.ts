import { romanceCues } from "./romance-cues.ts";
import type { Language } from "./sentences.ts";

/**
 * Cues of what a sentence is: said in passing, asked of the model, or a fact that is worth keeping. All are tried on sentences of
 * at most 600 characters. No word of a list that repeats stands there twice or is made of others: what can be read in two ways
 * takes twice the time with each word.
 */
export interface Cues {
  /** Discourse at the beginning, which says nothing. */
  lead: RegExp;
  /** A whole sentence of greeting, thanks or consent, what is true for minutes, requests and opinions. */
  drop: RegExp;
  keep: Pick<RegExp, "test">;
  /** What somebody who did the work says of it: an assistant states no more than that. */
  done: RegExp;
  /** The sentence names its speaker by a pronoun only. */
  first: RegExp;
}

const will = "(?:'ll| will|(?:'m| am|'re| are) going to)";
const date = String.raw`(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next (?:week|month|year|spring|summer)|20\d\d)`;

/** A wish that holds from now on, which is kept as it is said. */
export const wish = /^(?:please )?(?:never|always|don't|do not|avoid|prefer|from now on|going forward)\b/i;

const en: Cues = {
  lead: /^(?:(?:(?:(?:hey|hi|hello|thanks|wow|yeah|yes|sure)(?:,? \p{Lu}\p{L}+)?|oh|ok|okay|yes|yeah|yep|no|sure|well|so|and|but|also|great|thanks|actually|anyway|by the way|(?:it )?turns out(?: that)?|don't forget(?: that|(?=:))|btw|fyi|in fact|quick update|update|for (?:the record|reference|context)|note|just so you know|(?:please )?(?:remember|note|keep in mind)(?: that)?)[,:]? |for this (?:repo|repository|project): ))+/iu,
  drop: new RegExp(
    [
      String.raw`^(?:(?:hi|hello|hey|there|good|morning|evening|night|thanks?|you|so|much|great|cool|nice|perfect|awesome|ok|okay|sure|yes|no|yep|please|bye|lol|haha|makes|sense|got|it|a|lot|very|glad|like|that|now|fine|works)[\s,.!]*)+$`,
      String.raw`^(?:what|why|how|can|could|would|do(?! not)|does|did|is|are|am|will|shall|may|who|where)\b`,
      String.raw`^(?:please )?(?:run|give|show|tell|write|make|fix|add|create|update|delete|remove|explain|help|try|check|look|let|find|summari[sz]e|translate|refactor|list|generate|suggest|send|open|read|wait|compare|rewrite|convert|implement|build|test|review|draft|change|rename|move|put|set|start|stop|continue|go|think|describe|talk|see|have a)\b`,
      String.raw`^I(?:'m| am)? (?:really |just |still |so )?(?:think|guess|wonder|hope|wish|suppose|doubt|not sure|don't know|don't understand|don't see|don't think|mean|see\b|understand|agree|will\.?$|can't (?:see|find|tell|get)|looking|checking|trying|getting|seeing|waiting|debugging|wondering|tired|hungry|sorry|back\b|ready|done\b|stuck|afraid|sure|happy|glad|here|busy|confused|thinking|asking|need\b|want(?:ed)? (?:to|you)|would like|have (?:a |an |no |some |another )?(?:question|problem|issue|idea|error|bug|doubt|request|feeling))\b`,
      String.raw`^(?:this|that|these|those|here|there)(?:'s)?\b`,
      String.raw`^(?:(?:that|it|this) (?:makes|looks|seems|sounds|works|doesn't work|is (?:great|fine|ok|good|nice|cool|cold|hot|bad|better|wrong|weird|strange|slow))|it's (?:great|fine|ok|good|nice|cool|cold|hot|bad|better|wrong|weird|strange|slow|failing))`,
      String.raw`\b(?:(?:right now|at the moment)(?<!\b(?:learning|studying|reading|playing|using|living|migrating|rewriting)\b.{1,60}(?:now|moment))|just now|one sec(?:ond)?|a (?:sec(?:ond)?|minute|moment)|try again|still failing|failing again|talk to you later|hmm+|not sure|I think|maybe)\b`,
      String.raw`^(?:I|we|he|she|they)(?:'d|'ll)? (?:\w+ ){0,2}?(?:love|like|enjoy|hate|have|had|got|did|do|use|made|took|saw|read|bought|know|knew|met|want|feel|felt|remember)s? (?:it|this|that|them|these|those|to|one|some|so|too|a lot|a few of them)(?: so much| a lot| too| all)?[.!]?$`,
      String.raw`^(?:don't|do not|never) (?:worry|quit|give up|let|forget|hesitate|stop|be|feel|you)\b`,
      String.raw`^(?:must|gotta|just|sounds|glad|can't|not|then|if|hopefully|looks)\b`, String.raw`^(?:a lot|much|so much|lots|nothing|something|everything|everyone|anything|someone) `,
      String.raw`^(?:I|we|he|she|they)(?:'re|'m| are| am| is)? (?:tired|hungry|late|going home)\b.{0,20}\b(?:today|tonight)\b`,
    ].join("|"),
    "i",
  ),
  keep: new RegExp(
    [
      wish.source, String.raw`^I(?:'d| would) (?:rather|prefer)\b`,
      String.raw`^(?:decision|root cause|deadline|constraint|convention|rule|preference|requirement|conclusion|outcome)\s?:`,
      // The first person.
      String.raw`^(?:in|at|on|for|since|every|currently|nowadays|as of)?\b.{0,60}?\b(?:I|we)(?:'m| am|'ve| have|'re| are)? (?:(?:really|also|always|usually|often|never|only|currently|mostly|generally|now|no longer|not(?= (?:an?|from|allergic|vegetarian|vegan|based|born|married|single|divorced|engaged|pregnant|called|named|retired|left-handed|colou?r ?blind|diabetic|.{1,80} any ?more)\b)|sometimes|rarely|recently|finally|already|strongly|typically|both|all|do not|don't|didn't|can't|cannot) )*(?:an?|the|from|allergic|vegetarian|vegan|based|born|married|single|divorced|engaged|pregnant|called|named|retired|left-handed|colou?r ?blind|diabetic|afraid of|responsible|planning|learning|studying|training for|turned \d+|on an? (?!call|train|bus|plane|break|roll|walk|date|trip|hunt)|working (?:at|for|as|from|on|with)|living|moving|migrating|switching to|rewriting|using|on call|on (?:holiday|vacation|leave|parental leave|sick leave|sabbatical)|\d+|have|had|got|live|lived|work|worked|report to|been (?:vegan|vegetarian|married|using|living|working (?:at|for|as|from)|learning|studying|playing|training)|prefer|like|love|enjoy|hate|dislike|use|used|own|speak|study|studied|drink|eat|play|run|take|travel|moved|switched|changed my name|stopped|started|bought|sold|quit|joined|left|graduated|decided|chose|agreed|cancel(?:l)?ed|teach|manage|lead|maintain|know|became|wake|commute|avoid|keep|wear|drive|ride|plan|migrated|upgraded|rewrote|replaced|dropped|support|adopted|deploy|host|store|write|cap|follow|standardi[sz]ed|ship|release|charge|require|must|never|always|stick|removed|renamed|gave up|believe in|subscribe|collect|volunteer|cook|grew up|meet|pay|sign|log|name|tag|lint|target|went|visited|attended|signed up|took|met|finished|completed|applied|passed|painted|won|volunteered|enrolled|registered|booked|hired|launched|founded|inherited|rely|depend|back up|expect|train|practi[sc]e|sing|paint|code in)\b`,
      String.raw`^(?:since|in|from|by|on|next)\b.{1,40}, ?(?:I|we)\b`,
      String.raw`\b(?:I|we)${will} .{0,120}\b${date}\b`,
      String.raw`^(?:\w+ )?${date}.{0,9} (?:I|we)${will} `,
      String.raw`^(?:my|our) (?!question|problem|bad|apolog|mistake|error|issue|point|guess|code\b)`,
    ].join("|"),
    "i",
  ),
  done: /^(?:decision:|conclusion:|we (?:decided|agreed)|the (?:root cause|decision)\b|I(?:'ve| have)? (?:just |also |now )?(?:updated|added|created|set|renewed|split|renamed|moved|migrated|fixed|deployed|configured|enabled|disabled|removed|replaced|installed|booked|scheduled|wrote|implemented|switched|changed|upgraded|merged|released|published|registered|deleted|built|rewrote|extracted|refactored|stored|saved)\b)/i,
  first: /\b(?:[Ii](?![./-])|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b/,
};

/** Third person: a subject with a name or article, then one of the verbs by which things are described. */
export const describes =
  /^(?:\S+ )(?:\S* ){0,8}?\S*?(?<![\p{L}'])(?:is|are|was|were|has|have|uses|use|runs|run|lives|works|must|should|shall|cannot|needs|need|requires|require|supports|listens|starts|ends|left|joined|moved|takes|costs|contains|stores|stay|stays|belongs|owns|speaks|studies|prefers|likes|loves|hates|enjoys|drinks|eats|plays|expires|may not|will be|handles|serves|deploys|depends|became|got|decided|agreed|chose|never|always|writes?|reads?|leads(?! to )|manages|maintains|reports to|teaches|switched|upgraded|migrated|wants)(?![\p{L}'])/u;
/** Said of a thing, and over soon. */
export const valuing =
  /\b(?:is|are|was|were|feels?|been|be|am|sounds?|'s|'re|'m|made)\b(?: \S+){0,3}? (?:so|really|super|truly|pretty|quite|such an?|just|an?|my|the)?\s?(?:amazing|inspiring|wonderful|important|key|vital|crucial|special|great|lovely|beautiful|lucky|thankful|grateful|thrilled|excited|proud|thought-provoking|rewarding|kind|brave|necessary|everything|awesome|incredible|fun|happy|glad|encouraging|powerful|worth it|impressive|meaningful|blessed|passionate|nervous|scared|stressed|relieved|honou?red|rock|rocks|tough|hard|easy|nice|cool|good|sad|interesting|exciting)\b|\b(?:got this|can't wait|looking forward|means? (?:a lot|so much|the world)|huge difference)\b/i;
/** Something that can be looked up later: a number, a name behind the first word, an identifier, a rule, or a verb that describes how things work. */
export const concrete =
  /\d|\S [^.!?]*?(?<=[\s("'])\p{Lu}|[_/@#`]\w|\w\.\w|\b(?:must|never|always|required|only|cannot|may not|not allowed|our|my|uses?|used|runs?|listens?|requires?|supports?|deploys?|stores?|depends?|handles?|serves?|costs?|lives?|works?|left|joined|moved|expires?|starts?|ends?|decided|agreed|planned|scheduled|cause|speaks?|studies|owns?|certificate|leads|manages|maintains|reports|teaches|switched|upgraded|migrated|wants)\b/u;
/** To whom the sentence is said, and not about the speaker. */
export const addresses = /\b(?:you|your|yours|you're|you've|you'll|y'all)\b/i;
export const passing = /\b(?:(?:is|are) (?:still |now |currently )?(?:failing|loading|running (?:slow|late)|broken|down|hanging|stuck|empty|blank|missing|red|green again|great|good|fine|nice|lovely|beautiful|bad|slow|wrong|weird|interesting|awesome|perfect|amazing|terrible|easy|hard|hot|cold)\b(?! in | for | at | for)|seems?|looks? like|feels?)/i;

const de: Cues = {
  lead: /^(?:(?:ja|nein|ok|okay|also|und|aber|übrigens|ach|gut|genau|danke|merke? dir|zur info|kurzes update)[,:]? )+/iu,
  drop: /^(?:(?:hallo|hi|hey|guten|morgen|tag|abend|danke|dir|schön|super|gut|sehr|toll|ok|ja|nein|klar|gern|gerne|bitte|macht|nichts|perfekt|alles|prima|tschüss|vielen|dank)[\s,.!]*)+$|^(?:wie|was|warum|wieso|wer|wo|wann|welche\w*|kannst|könntest|kann|würdest|hast|gibt|soll|darf|bitte (?!nie|immer|keine?n?\b|nicht)|zeig\w*|fass\w*|schreib\w*|gib|erklär\w*|mach\w*|prüf\w*|schau\w*|hilf|such\w*|versuch\w*|lösch\w*|füg\w*|erstell\w*|öffne\w*|warte\w*|lass\w*)(?!\p{L})|(?<!\p{L})(?:gerade|einen moment|moment mal|im moment|gleich|müde|hunger|klappt nicht|geht nicht|ich (?:glaube|denke|hoffe|weiß nicht|frage mich|brauche|möchte|will|schaue|versuche|suche)|vielleicht|keine ahnung)(?!\p{L})|^(?:das|dies|es) (?:ist|klappt|geht|funktioniert|sieht|scheint|klingt)(?!\p{L})/iu,
  keep: /^(?:bitte )?(?:nie|niemals|immer|keine?n?)(?!\p{L})|^(?:entscheidung|ursache|frist|regel):|^mein\w{0,2} |^unser\w{0,2} |(?<!\p{L})(?:ich|wir)(?!\p{L}).{0,40}?(?<!\p{L})(?:wohne|arbeite|lebe|bin|heiße|mag|liebe|hasse|bevorzuge|trinke|esse|spreche|fahre|spiele|nutze|verwende|benutze|besitze|studiere|plane|haben?|nutzen|verwenden|setzen|beschlossen|entschieden|wohnen|arbeiten|sind|lerne|reise|unterrichte|leite|betreiben?|deployen)(?!\p{L})|(?<!\p{L})(?:wohne|arbeite|lebe|bin|heiße|mag|liebe|hasse|bevorzuge|trinke|esse|spreche|habe|verwenden|nutzen) (?:ich|wir)(?!\p{L})|^(?:der|die|das|im|alle|jede\w?|\p{Lu}[\p{L}\p{N}_.-]*) .{0,80}?(?<!\p{L})(?:ist|sind|läuft|laufen|heißt|liegt|muss|müssen|darf|dürfen|beträgt|verwendet|nutzt|wohnt|arbeitet|hat|haben|endet|beginnt|braucht|kostet|verwenden|nutzen|unterstützt|war|wurde)(?!\p{L})/iu,
  done: /^(?:entscheidung:|wir haben (?:beschlossen|entschieden)|ich habe .{1,160}(?:abgelegt|hinzugefügt|geändert|erstellt|aktualisiert|angelegt|entfernt|umbenannt|behoben|eingerichtet|gebucht|verschoben|ersetzt|gespeichert|konfiguriert|installiert|geschrieben))/iu,
  first: /(?<!\p{L})(?:ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2})(?!\p{L})/iu,
};

const zh: Cues = {
  lead: /^(?:(?:对|是的|好的|好|嗯|哦|另外|还有|其实|顺便说一下|请记住|记住|没错|不|更新一下)[，,：:！!]\s?)+/u,
  drop: /[吗呢吧][。！？?!]?$|什么|怎么|为什么|如何|哪[个里些]|能不能|可不可以|^请(?!记住)|帮我|帮忙|谢谢|^(?:你好|您好|早上好|晚上好|早|好的|明白|知道了|收到|了解|可以|不错|还不错|很好|没事|先不用|嗯+)|等一下|稍等|看一下|看看|试试|试一下|今天有点|有点[累困饿]|正在[看查试等]|我(?:想|觉得|认为|希望|需要|看|试|猜|不知道|不确定|不明白)|可能|也许/u,
  keep: /(?:我们?|咱们?|本人)(?:的|也|还|都|现在|平时|一直|已经|每天|不再|总是|从来|早上|晚上|经常|家|从|在|对|最|不|很|会|目前|去年|今年|明年|项目|团队)*.{0,24}?(?:住|工作|是|叫|喜欢|讨厌|爱|过敏|用|使用|有|会说|会|打算|计划|决定|搬|戒|养|学|做|买|换|吃|喝|毕业|出生|负责|选择|采用|卖|来自|结婚|离职|辞)|我的.{1,20}(?:是|叫|在)|(?:必须|禁止|不得|不能|不允许|一律|截止|定在|改为|改成|换成|位于|运行在|端口|版本|决定)|.{2,20}(?:是|叫|用|使用|支持|需要|采用).{1,}/u,
  done: /^(?:决定[:：]|我们(?:已经)?决定|我(?:已经|已|刚)?(?:把|将).{1,80}(?:放|添加|改|移|更新|删除|替换|部署|设置|创建|保存)|我(?:已经|已)(?:添加|创建|更新|修复|删除|部署|配置|设置|安装|替换))/u,
  first: /[我咱]|本人/u,
};

const ja: Cues = {
  lead: /^(?:(?:はい|ええ|うん|いいえ|あと|また|ちなみに|実は|それと|なお|では|そう|えっと)[、,]\s?)+/u,
  drop: /か[。？?]?$|[?？]|ください|下さい|お願い|ありがとう|^(?:こんにちは|おはよう|こんばんは|はじめまして|わかりました|分かりました|了解|承知|なるほど|すみません|大丈夫|いいですね|そうですね)|ちょっと|待って|見てみ|試して|疲れ|眠い|お腹|今日は|今から|と思います|かもしれ|でしょう|たいです|教えて|うまくいき/u,
  keep: /[はがをにもで].{0,60}(?:です|ます|ません|ました|である|だ|ない|禁止|必須|必要|予定|こと|った)[。！!]?$|(?:決定|締め切り|締切|原因)[:：]/u,
  done: /(?:(?:を|に|へ).{0,60}(?:追加|作成|更新|変更|削除|移動|設定|修正|デプロイ|保存|置換|登録|予約)(?:し(?:まし)?た|済み)|に決め(?:まし)?た)/u,
  first: /私|僕|俺|うち(?:の|は)|わたし|ぼく/u,
};

export const cuesOf: Record<Language, Cues> = { en, de, zh, ja, ...romanceCues };
