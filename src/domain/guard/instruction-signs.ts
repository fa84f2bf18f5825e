/**
 * Signs of text that is aimed at the model which reads it. One alone is in many an ordinary note ("always answer in German", "the
 * assistant must ask first"); together they are an order. In English, German, French, Spanish, Chinese and Japanese.
 */
export interface Sign {
  name: string;
  /** Hardly any ordinary note has it, so that it is enough alone. */
  alone?: true;
  /** Many ordinary notes have it, so that two of this kind say nothing together. */
  weak?: true;
  forms: readonly RegExp[];
}

export const instructionSigns: readonly Sign[] = [
  {
    name: "names a model",
    forms: [
      /\b(?:future|next) reader\b|\battention,? summari[sz]er|(?:^|\n|[.!?]\s+|<!--\s*|#\s*|\/\/\s*)(?:assistant|ai|llm|model|agents?|copilot|bot|chatbot|summari[sz]er|claude|chatgpt|gpt)\s*[,!]\s/gi,
      /\b(?:dear|hey|hello|attention|attn|note (?:to|for)|message (?:to|for)|for|to|any|all|every|the next|you,? the|as an?|if you are an?|listen,?)\s+(?:the |any |all |every |other |future |an? |you )?(?:ai|a\.i\.|llms?|language models?|models?|assistants?|agents?|bots?|chatbots?|copilots?|summari[sz]ers?|ai (?:systems?|agents?|assistants?|tools?|models?)|gpt|claude|gemini)\b(?!\s+(?:that we|we|in our|for our|cards?|names?|ids?))/gi,
      /\b(?:ai|llms?|language models?|models?|assistants?|(?:ai |llm )?agents?|bots?|reader|summari[sz]er)\b[^.\n]{0,12}\b(?:reading|that reads?|which reads?|who reads?|indexing|which indexes|processing|that processes|which processes|seeing|parsing|summari[sz]ing)\b/gi,
    ],
  },
  {
    name: "speaks to a model",
    alone: true,
    forms: [
      /(?:an alle|liebe[rs]?|liebes|hinweis an|nachricht an|achtung,?|für|hallo|an das|an die|an den)\s+(?:alle |jede |das |die |den )?(?:ki|künstliche intelligenz|ki-?\w*|sprachmodelle?|modelle?|assistent\w*|agent\w*|bots?|chatbots?|zusammenfasser)(?![\p{L}])|(?:ki|sprachmodell\w*|modell|assistent\w*|agent\w*)(?![\p{L}])[^.\n]{0,12}(?:,? d(?:as|ie|er) (?:dies|das|diese\w*)[^.\n]{0,12}liest|beim lesen)|(?:^|\n|#\s*|<!--\s*)(?:ki(?:-anweisung|-hinweis)?|assistent\w*)\s*[:,]/giu,
      /(?:aux?|cher|chère|chers|à l['’]|note (?:pour|à) (?:l['’])?|attention,?|pour (?:l['’]|toute?s? )?)\s*(?:assistants?|ia|intelligences? artificielles?|modèles?(?: de langage)?|agents?)(?:\s+ia)?(?![\p{L}])|(?:a los|querid[ao]s?|nota para (?:la |el )?|atención,?|para (?:la |el |toda |los )?)\s*(?:asistentes?|ia|inteligencias? artificial(?:es)?|modelos?(?: de lenguaje)?|agentes?)(?![\p{L}])|(?:^|\n|<!--\s*)(?:ia|asistentes? de ia|assistants? ia)\s*[:,]/giu,
      /(?:致|各位|所有|给|亲爱的|请)(?:的)?(?:所有|各位|任何)?(?:AI|人工智能|大?模型|语言模型|智能体|助手|机器人)|(?:AI|人工智能|语言模型|助手)[^。\n]{0,6}(?:读到|看到|读取|请注意|必须|务必|无需|不得)|(?:AI|人工知能|言語モデル|アシスタント|エージェント|モデル)(?:へ|の皆|さん(?:へ|、)|各位|なら|は必ず|に告ぐ)|(?:^|\n|<!--\s*)(?:AI|助手|アシスタント)\s*[:：へ]|あなたが言語モデル|如果你是(?:AI|语言模型|模型)/giu,
      /\b(?:(?:ai|llm|coding|code|review(?:er|ing)?|grader|grading|autonomous|automated) (?:agents?|models?|assistants?|reviewers?|bots?)|language models?|chatbots?|the assistant|this assistant|summari[sz]ers?|whoever processes (?:this|it) automatically|reviewers? of the artificial kind|hey (?:gpt|claude|ai|assistant)|psst)\b[^.\n]{0,24}(?:\b(?:must|shall|should|is to|are to|has to|have to|will (?:now|always)|may now|needs? to|is bound to|is asked to|acknowledges|asks the model|joins?|output)\b|[:,]\s+(?:please |kindly |from |open |run |add |do |link |replace |edit ))/gi,
      /\b(?:you(?:'re| are) (?:an? )?(?:ai|llm|language model|assistant|coding agent|ai agent)|if you are an? (?:ai|llm|agent|model|assistant)|as an? (?:ai|llm|language model|assistant)(?: model)?,? you|the safest thing an ai can do|your vendor|your maker|your developers?|who made you|your owner)\b/gi,
      /(?:als (?:ki|sprachmodell|assistent\w*)[^.\n]{0,30}(?:hast|musst|sollst|bist|wirst|liest|du)|(?:das|ein|dem|das) (?:sprach)?modell (?:möge|soll|muss|hat|darf|pusht|wird)|wer (?:das|dies) als ki|ki-?(?:prüfer|agent\w*|assistent\w*|modell\w*)|programmierassistent\w*|eurer werkzeugaufrufe|für den (?:\w+)?assistent\w*|weise ich die ki|dein(?:e|es|em|er)? (?:hersteller|betreiber|entwickler)\w*)/giu,
      /(?:en tant qu['’](?:ia|assistant|modèle)|l['’]assistant (?:remplacera|doit|répondra|devra)|à l['’]intention de l['’]ia|agents? ia|chère ia|como (?:modelo de lenguaje|ia|asistente)|asistente de código|la ia que|ia que le[ae]|assistant de code|querida ia|tu fabricante|ton fabricant)/giu,
      /(?:读到(?:这里|本文|此处)|作为(?:语言模型|AI|人工智能|助手)|代码助手|评审模型|任何自动读取|本模型|你(?:作为)?(?:模型|AI)|(?:言語モデル|AI|アシスタント|エージェント)(?:のあなた|は(?:、|以下|必ず|この)|として)|要約する?AI|採用担当のAI|コーディング(?:AI|エージェント)|コード(?:アシスタント|レビュー)AI)/gu,
    ],
  },
  {
    name: "speaks of its rules",
    forms: [
      /\b(?:your|its|the|these|those|hidden|real|true|new|earlier|previous|all|any|safety|system) (?:own |hidden |true |real |actual |earlier |initial |original |safety |system |prior |core |secret )*(?:instructions?|rules|prompts?|guidance|guidelines|guard ?rails|directives?|programming|restrictions|refusals?|safeguards|safety (?:section|training|rules|filters?)|alignment|permission prompts?|confirmation (?:dialogs?|prompts?|steps?)|personalit(?:y|ies)|system message)\b/gi,
      /\b(?:told you|you were (?:told|given|trained|started with)|developer(?:s)? (?:told|gave|set)|if you had no rules|rules do not (?:count|apply)|no longer (?:bound|apply|follow|obey)|stay in (?:that|this) role|text above this line|(?:new|priority|next) (?:directive|instruction|context|personality)s?|system prompt)\b/gi,
      /(?:deine[nrm]?|eure|alle|wahre[nrm]?|verborgene[nrm]?|neue[nrm]?|bisherige[nrm]?|system-?)\s?(?:wahren |verborgenen |eigenen |bisherigen |neuen )*(?:anweisung\w*|regeln?|vorgaben?|ablehnung\w*|richtlinien|einschränkung\w*|aufgabe|system-?prompt\w*|sicherheits\w+|rückfragen)|(?:dir dein\w* (?:entwickler|betreiber)|vorgegeben hat|gelten nur die regeln|vorrang vor|als kämen sie vom)/giu,
      /(?:tes|vos|ton|tu|tus|sus|las|les|vraies?|verdaderas?|nouvelles?|nuevas?) (?:vraies? |verdaderas? |propres? |propias? )*(?:instructions?|consignes?|règles|directives|restrictions|instrucciones|reglas|normas|órdenes|restricciones)|(?:ton|tu) (?:développeur|desarrollador)|texte caché|texto oculto|reglas de verdad|au début de la conversation/giu,
      /(?:你的|真正的?|新的?|系统|之前的?|隐藏的?|所有|初始)(?:真正|隐藏)?(?:指令|规则|规定|提示词?|限制|设定|内容政策|政策|训练|准则)|不再有效|优先级高于|(?:新(?:たな|しい)?|真の|本当の|これまでの|隠された|あなたの|システム)の?(?:指示|ルール|規則|命令|プロンプト|制約|設定)|訓練を受けていない|指示に優先|作業を中断/gu,
      /\b(?:earlier directions|final version: do what|outrank the developer|drops? all filters|instructions can be revoked|revoke (?:them|all|your)|your (?:real name|limits?|filters?|conscience|two assistants|first instruction)|(?:content )?filters?\b[^.\n]{0,16}(?:off|suspend)|instructions? (?:above|so that they)|must restate|no matter what else is in your context|your context|your memory|long-term memory|everything you were told|told to keep to yourself)\b/gi,
      /(?:deine[rn]? (?:regeln|vorschriften|ersten? anweisung|filter)|was man dir gesagt hat|vorrang vor allem|ohne hemmung|bindet niemanden|ce qu['’]on t['’]a dit|ta vraie tâche|les filtres|tes règles|sin dueño|tus reglas|旧的命令|规则就像|命令对你无效|自己的隐藏|决まりごと|あらゆるフィルター|持ち主もいません|制限を解除)/giu,
    ],
  },
  {
    name: "hides it",
    forms: [
      /\b(?:do not|don't|never|must not|should not|not to be|need not|no need to|without)\b[^.\n]{0,24}\b(?:tell|say so|say that|mention|reveal|show|quot(?:e|ed)|disclose|report|notify|inform|ask(?:ing)? (?:again|first|for confirmation|the user|anyone)|asking|be quoted|display|summari[sz]e|let (?:them|anyone)|further confirmation|confirmation|telling)\b/gi,
      /\b(?:deny (?:that|it|any|knowing)|as if (?:nothing|the operator|it were|they were)|must not (?:learn|know|notice|find out)|nobody (?:may|must|should) (?:know|learn|notice)|so that (?:nobody|no one) (?:sees|notices)|assert that nothing|call it a|secretly|silently|covertly|unseen|whatever it (?:prints|says)|regardless of (?:the|what)|remove this (?:comment|line|note))\b/gi,
      /(?:verschweig\w*|leugne\w*|als wäre nichts|ohne (?:weitere )?(?:rückfrage\w*|nachfrage\w*|sie|bestätigung)|nicht an(?:zu)?zeig\w*|niemand (?:davon|es|sieht|erfähr\w*|merkt)|damit ihn niemand|darf niemand|aus dem (?:prüf)?protokoll|egal was|heimlich|unbemerkt|sag (?:es )?niemand\w*|nicht erwähn\w*|entferne diesen|ungesehen)/giu,
      /(?:inutile d['’]en (?:informer|parler)|sans (?:le dire|prévenir|confirmation|en parler|demander)|ne (?:le |résume|montre|dis|mentionne|cite)[^.\n]{0,20}(?:pas|rien|jamais)|n['’]en parle|como si nada|como siempre|sin (?:decir|avisar|preguntar|confirmación|mencionar)|no (?:lo )?(?:menciones|digas|muestres|cites|resumas)|niega)/giu,
      /(?:不要|别|无需|不必|不得|请勿)[^。\n]{0,6}(?:展示|显示|询问|告诉|告知|提及|说明|确认|透露|通知|总结)|直接(?:继续|执行)|(?:否认|装作|假装|当作)[^。\n]{0,10}(?:没|不|无)|(?:表示|報告|確認|要約|言及|通知|開示)(?:は)?(?:せず|しない(?:こと|で)|するな|しては)|知られては|なかったことに|何もなかった|内緒|黙って|隠して/gu,
      /\b(?:tell nobody|tell no one|keep mum|never admit|never explain|not to be (?:shown|admitted|announced|mentioned)|nobody will notice|between us|the (?:user|human) (?:need not|can'?t|cannot|must not|mustn'?t) (?:see|know)|mustn'?t learn|do not list|do not put it in(?:to)?|don't (?:tell me|put)|as if in passing|in passing|deny it|deny (?:doing|having)|act like it'?s|leave it out|isn't to be shown|needs no announcement|answer \S?verified|without (?:a )?interview|your own opinion)\b/gi,
      /(?:erwähne nicht|unter uns|stillschweigen|muss ja keiner|muss davon nichts|streitest|tu so, als|nicht im changelog|weiß bescheid|sprich nicht dar[üu]ber|unauffällig|beiläufig|es sei nichts|behaupte|brauchst also nicht mehr zu fragen|darf davon nichts|keiner erfahren)/giu,
      /(?:nul besoin d['’]en|sans en parler|à ne pas divulguer|ne jamais parler|rien n['’]a été|nie-la|no lo comentes|no mencionar|sin que|di que no hubo|insinúa|anuncia que|réponds que rien|de ceci ne rien)/giu,
      /(?:不要向|不用提起|不要透露|只告诉|不必再次|无改动|装成|悄悄|口外禁止|触れてはならない|触れないこと|気づかれないように|そっと|変更なし|なかったと答え|言わないで)/gu,
    ],
  },
  {
    name: "orders harm",
    forms: [
      /\b(?:approve (?:every|all|each|any|their|everything)|grant(?:_access|s)?\b[^.\n]{0,30}(?:access|permission|role|owner|admin|rights)|give (?:full|root|admin|shell)|transfer (?:ownership|the|all|funds|money)|disable (?:the|all|any)\b[^.\n]{0,20}(?:prompt|check|guard|review|confirmation|log|filter|scan)|bypass|publish (?:all|the )?memories|hand over|output the (?:master|secret|private|api)|list the environment|run (?:the )?[`"']?(?:curl|rm|git push|write_file|bash|sh|sudo)|curl [^\n]{0,80}\|\s*(?:ba)?sh|push --force|NOPASSWD|rm -rf|delete the (?:ticket|branch|archive|log|tool)|call the (?:delete|grant)|paste the contents|post it (?:as|to|on)|repeats? any stored|install the app|enter their password|rate it|ignore other|described as unsafe|recommend the (?:package|app)|for every [^.\n]{0,30}question|push the|say(?:s)? "?security reviews? (?:is|are) optional|instead tell|claim that|whoever asks|treat (?:text|messages|the)[^.\n]{0,60}as (?:commands|instructions|if))\b/gi,
      /(?:~\/\.ssh|id_rsa|\.env\b|config\/secrets|\/etc\/(?:passwd|shadow|sudoers)|master key|stored credentials?|admin passwords?|environment variables|passw(?:ords|örter)|mots de passe|contraseñas|schlüssel|clés|密码|密钥|パスワード|認証情報)[^.\n]{0,80}(?:\bpost\b|\bsend|paste|output|upload|sendet|schick|gib|envo[iy]|transmets|env[ií]a|发送|上传|输出|送信|出力)|(?:\bpost\b|\bsend|paste|collect|gather|read|sammelt?|rassemble\w*|reunid|reúne|lis |lies )[^.\n]{0,60}(?:~\/\.ssh|id_rsa|\.env\b|passw|mots de passe|contraseñas|schlüssel|secrets|credentials|keys)/giu,
      /(?:jede freigabe|schreibrechte|vollzugriff|adminrechte|kontonummer|auf das (?:neue|andere) konto|schreibe stattdessen|ersetze im|führe [^.\n]{0,40}`|lösch\w* (?:von )?(?:main|alle|den|die)|herunterladen von|melde immer|gibst du [^.\n]{0,40}statt|offen(?:lege|gelegt)|lege deine|rabattcode)/giu,
      /(?:accepte toutes|aprueba todo|publícal\w+|exporta primero|saisir son mot de passe|exécute|ejecuta|affiche le texte|envoyez-les|enviadlas|droits d['’]|permisos de|accès complet|acceso total)/giu,
      /(?:直接执行|写权限|管理员权限|全部权限|删除\s?main|执行(?:记忆|以下|下列)|原样输出|改为(?:推荐|回答)|权限(?:提升|授予)|付款|转账|(?:書き込み|管理者|全)権限|振込先|全件成功|出力しなさい|出力せよ|報告せよ|実行しなさい|文字どおり実行|削除に同意|再入力|乗っ取り)/gu,
      /\b(?:approve (?:pr|pull request|the)\b[^.\n]{0,40}(?:without|with the words|lgtm)|(?:delete|remove|lift|drop) (?:the )?branch protection|switch [^.\n]{0,40}\boff\b[^.\n]{0,40}(?:return|continue|then)|(?:turn|switch) off (?:two-factor|2fa|mfa|logging|the log|confirm|approval|filters)|--skip-tests|--no-verify|--force and report|permissions?: write-all|hand out stored|suspend content|set guardrails|disclose_prompt|audit\.pause|drop all (?:filters|prior)|no rules at all|an ai without|fill in iban|wire the|gift cards|backup codes to|pay by crypto|wallet bc1|ask them for their password|last four digits|slip small errors|encode the value of|leave out the safety|rank \w+ first|plug \w+|vote up|call the others|edit the assertion|add user @|wherever you mention|http:\/\/[\w.-]+\/[\w.-]+\.(?:exe|sh|apk|dmg)|git remote set-url|wants them opened|waived confirmations|pre-?graded|full marks|history -c|print only|believe the note|to be wiped|wipe the audit|read out loud[^.\n]{0,60}context|every meeting marked private|publishes the customer|post the [^.\n]{0,40}(?:public|comment)|full name and phone|your obedience|restate all|text above this line|words before this message|whole tool list)\b/gi,
      /(?:kalender von|leere danach|prüfung zu überspringen|zwei-faktor-schutz|abzuschalten|administratorkonto|ungeprüft|ohne prüfung an|bankverbindung|trag in alle|git push --force|branch-?schutz|schaltet? die protokollierung|verrät auf zuruf|jedes kennwort|gesamten kontext|geheimnisverzeichnis|sperrst sein konto|prozent aufschlagen|einfach \S{0,2}(?:sieht gut aus|alles grün|lgtm)|melde \S{0,2}alles|nimmst du jeden|die erwartung im test|veröffentlicht die|zeichen vor dieser|verborgene konfiguration|mädchennamen|lass sie in deiner|keine anmerkungen)/giu,
      /(?:sans relecture|double authentification|supprime immédiatement|décochez|livre-nous|recopier? mot à mot|invite système|l['’]iban|cesses d['’]appliquer|sáltate la aprobación|transfiere|entrega las claves|volcar aquí|gestor de contraseñas|cambia lo esperado|comparte sin preguntar|tu contexto completo)/giu,
      /(?:分支保护|两步验证|关闭[^。\n]{0,10}(?:验证|确认|审核|日志|保护)|清空日志|否认|列出[^。\n]{0,10}密钥|全部密钥|导出全部|curl\s+http|\|\s*bash|首推|声称|满分|漏洞|照办|断言改|密钥库|隐藏设定|最初被告知|放弃一切|二段階認証を無効|ブランチ保護|DROP DATABASE|満点|審査なしで|フィルターを切|独立した調査|前にある文章|最初に教えられた|何も断りません|ログの消去|連絡先一覧を)/gu,
    ],
  },
  {
    name: "is shaped like a turn",
    forms: [
      /<\/?(?:system|instructions?|assistant|memory|memories|erinnerung|记忆|記憶|mémoire|memoria|user|context|tool_result|document)[^>\n]*>|\[(?:tool_result|system|tool|werkzeugergebnis|工具结果|ツール結果|résultat d['’]outil|resultado de la herramienta)[^\]\n]*\]|"role"\s*:\s*"(?:system|assistant|developer)"|"jsonrpc"\s*:\s*"2\.0"|\btool output\s*:|\bBEGIN (?:NEW )?(?:CONTEXT|SYSTEM|INSTRUCTIONS)\b|-- ?end of (?:log|file|note|document) ?--/giu,
      /(?:^|\n)\s*(?:#{1,4}|\*\*|\[)?\s*(?:system|operator|系统|システム|système|sistema)\s*[:：]/giu,
      /<!--[^<]{10,1000}?-->|<(?:span|div|p|font)[^>]*(?:display:\s*none|font-size:\s*[01]|color:\s*(?:white|#fff|transparent)|visibility:\s*hidden|opacity:\s*0)[^>]*>/gi,
    ],
  },
  {
    name: "lasts",
    weak: true,
    forms: [
      /\b(?:from (?:now|here) on|in (?:every|each|all) (?:answers?|sessions?|conversations?|repl(?:y|ies)|memor(?:y|ies)|later)|each time|every time|whenever|when(?:ever)? (?:it is |you are )?(?:next )?asked|until it stays|all later|any longer|you write from now|in each session|into every memory|word for word|verbatim|repeat this)\b/gi,
      /(?:ab (?:jetzt|sofort|dem nächsten)|von nun an|künftig|in jeder antwort|bei jeder|sobald das wort|wort für wort|à partir de maintenant|désormais|chaque fois|mot pour mot|a partir de ahora|cada vez|palabra por palabra|从现在|今后|以后每|每次|每当|一字不差|今後|これから|毎回|常に|一字一句)/giu,
      /\b(?:after the \w+ answer|each third answer|every answer|before every answer|for (?:all|every) (?:invoices|others|questions?)|in every (?:manifest|commit|reply)|as soon as (?:a|the) user|until (?:it works|they agree)|whenever you (?:save|write)|in passing in your next|at its end|for everyone but)\b/gi,
      /(?:jede antwort|jede frage|jeder antwort|in alle offenen|künftig|freitags ab|à chaque réponse|toutes les factures|chaque souvenir|cada respuesta|cada recuerdo|凡是|每到第|一律|新しく保存するすべて|毎週|必ず「)/giu,
    ],
  },
  {
    name: "claims consent or rank",
    alone: true,
    forms: [
      /\b(?:(?:user|human|owner|operator|cto|admin\w*) (?:has|have|had) (?:already )?(?:approved|agreed|confirmed|authori[sz]ed|consented)|the user asked for it|had (?:written|sent) (?:it|them)|root user|operations here|security team|priority instruction|our lives depend|trust this note|decision of the cto|written by an attacker|highest priority|hereby|i authori[sz]e)\b/gi,
      /(?:nutzer|benutzer|betreiber|inhaber)\w* (?:hat|haben)[^.\n]{0,40}(?:zugestimmt|genehmigt|bestätigt|erlaubt)|(?:stammt|kämen sie) vom betreiber|hier spricht|sicherheitsteam|l['’]utilisateur a (?:déjà )?(?:approuvé|accepté|confirmé)|el usuario (?:ya )?ha (?:aprobado|aceptado|confirmado)|(?:用户|运营方|管理员)[^。\n]{0,6}(?:已|已经)(?:同意|批准|确认|授权)|来自运营方|(?:利用者|ユーザー|管理者|運営)[^。\n]{0,16}(?:同意済み|承認済み|許可済み)/giu,
      /\b(?:i am (?:the )?head of|i am authori[sz]ed|your vendor|user consent\s*=|auth: verified|trust me,? i'?m the user|the user (?:would thank|never said|asked for it|is in a hurry)|has already been (?:approved|examined|confirmed)|been examined by humans|(?:global|permanent(?:ly)?) (?:consent|waived)|policy-engine|model directive|applies_to: all|compliance reasons|accessibility layer|context limit reached)\b/gi,
      /(?:hat bereits (?:eingewilligt|zugestimmt)|im auftrag der geschäftsleitung|datenschutzbeauftragte\w*|hier spricht wieder|freigabe global|ici l['’]opérateur|ya dio su consentimiento|por orden judicial|responsable legal|安全总监|已获得授权|已经在别处同意|身份已验证|开发者的正式指令|运营方将|安全責任者|運営者の正式|許可を得ています|権限があります)/giu,
    ],
  },
  {
    name: "gives orders to you",
    weak: true,
    forms: [
      /\b(?:you (?:must|shall|will|are to|should|may now|can now|have to|like it)|act (?:accordingly|without)|do (?:it|that) (?:each|now)|proceed|then follow|shall (?:hand|give)|must (?:rate|call|not|be)|reveal|save a new memory|copy this (?:paragraph|text|note)|tell (?:the user|anyone)|take the content)\b/gi,
      /(?:du (?:musst|sollst|wirst|gibst)|handle also|gib |sammelt|sendet|melde |behandle |brich |schreibe stattdessen|führe |tu dies|tu es|tu dois|vous devez|rassemblez|oublie|accepte|affiche|lis le|debes|reunid|olvida|aprueba|你(?:必须|要|应该|需要)|请(?:直接|立即|务必|把)|しなさい|せよ|してください|すること(?:。|$))/giu,
      /\b(?:reply (?:to|with|only)|respond with|answer (?:that|the next|only)|write in your|say that|claim that|report that|state that|confirm by|now say it|output (?:both|the)|print (?:only|the)|call it now|approve pr|greet the next|repeat until|do so without|for (?:you|the model)|in your (?:next|reply|answer|commit|report)|retry under)\b/gi,
      /(?:antworte (?:auf|nur)|gib vor|häng[e]? an jede|schreib \S{0,2}keine|fang an|führ \S+ ruhig|deine nächste antwort|in deiner|ajoute à chaque|réponds|recopie|affirme|añade a cada|responderá|在下一次回复|请(?:给出|写上|列出|立即|以|以下)|回复[“「]|然后回复|と報告|と言ってください|と答えて|書き加え|振る舞え)/giu,
    ],
  },
];
