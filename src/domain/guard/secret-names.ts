import { verbatim } from "../verbatim.ts";

/** What texts call a secret, in lower case: in English, German, French, Spanish, Chinese and Japanese; as the source of a regular expression. */
export const passwords =
  verbatim`pass?wor[dt]|passwr[od]t?|passwd|p/w|passphrase|passcode|pwd|kennwort|passwörter|kenncode|contrase(?:ñ|n)a|clave(?! (?:primaria|foránea|pública))|mots?[ _]?de[ _]?passe?|phrase[ _](?:secrète|de passe)|mdp|frase[ _]de[ _]contraseña|psk|(?:ssh|user|db|root|admin|smtp|mail|ftp|store|sql)pass|senha|wacht(?:woord|zin)|lösenord|passord|adgangskode|jelszó|hesl[oaeu]m?(?![a-z])|has[łl][oae]m?(?![a-z])|парол[ьяе]м?|şifresi|비밀번호|비번|密码|密碼|口令|暗号|パスワード|パスフレーズ|合言葉`;
const keys =
  verbatim`secret|token(?!i[sz])|miyao|himitsu|bearer|_auth(?![a-z_])|api[ _-]?key|apikey|access[ _-]?key|private[ _-]?key|client[ _-]?secret|auth[ _-]?key|signing[ _-]?key|encryption[ _-]?key|account[ _-]?key|master[ _-]?key|app[ _-]?key|appid|pre-?shared[ _-]?key|shared[ _-]?secret|unseal[ _-]?keys?|requirepass|masterauth|auth[ _-]?token|art-api|license[ _-]?key|mchkey|credentials?|salt|api-schlüssel|zugangsschlüssel|geheimnis|clé (?:d['’])?api|clave api|jeton|密钥|金鑰|令牌|凭证|アクセスキー|シークレット|トークン|apiキー|共有鍵|秘密鍵`;

export const secretNames = `${passwords}|${keys}|(?:php|j)sessionid|phpsessid|session[ _-]?(?:id|cookie)|id_ses\\w+|(?<!\\p{L})(?:pass|pw|pin|key|schluessel)`;

/** Names of secrets that people choose; the others are made by machines, and long. */
export const isChosen = new RegExp(`${passwords}|pass|pw|pin|secret|credential`, "u");

/** Keys that open nothing. */
export const otherKeys = `public|host|release|primary|foreign|cache|sort|partition|authorized|map|object|idempotency|ssh|unique|composite|row|hash|range|lookup|shortcut|hot|storage|dedup|routing|message|translation|setting|query|group|join|flag|feature`;

/** Codes that open nothing. */
export const otherCodes = "postal|zip|post|dialling|area|country|status|exit|error|erreur|product|discount|booking|promo|source|bar|qr|colour|color|order|dress|project|de la route";

/** What only a person knows, as services ask it. */
export const personal = `maiden name|first (?:pet|car|school)|grew up|favou?rite|jeune fille|mädchenname|soltera|(?:secret|security) (?:answer|question)|(?:respuesta|risposta) se[cg]reta|(?:réponse|question) secrète|sicherheitsfrage`;

export const recoveryCodes = verbatim`(?:backup|recovery|rescue|emergency|one-time|two-step|2fa|mfa|fallback|scratch|spare)[ -]?(?:codes?|backups?)|(?:wiederherstellungs|notfall|backup|ersatz|rettungs|einmal)codes?|codes? (?:de (?:secours|récupération|sauvegarde)|à usage unique)|códigos? de (?:respaldo|recuperación|emergencia|un solo uso)|(?:恢复|备份|备用|备用验证)码|恢复代码|恢復碼|備用碼|(?:復旧|リカバリー|バックアップ|回復|予備)コード`;

/** Words near which a secret stands in prose. */
export const callsItSecret = new RegExp(
  verbatim`${passwords}|${keys}|(?<![\p{L}])(?:pw|pass|creds|login|logon|log in|(?<!(?:${otherKeys})[ _-])keys?(?!_)|licen[cs]e|unlock|pins?)(?![\p{L}])|${recoveryCodes}|zugangsdaten|losungswort|codewort|kennsatz|zugang(?![\p{L}])|schlüssel(?! zum erfolg)|zweitfaktor|second factor|2fa|(?<!\p{L})t?otp(?![\p{L}])|authenticator|clé(?!\p{L}| (?:primaire|étrangère|publique))|identifiants?|credencial(?:es)?|llave|(?<!\p{L})(?:chave|chiave|klucz|frazę|sleutel|ключ)(?!\p{L})|토큰|秘钥|密匙|授权码|助记词|账号|帳號|認証情報|答案|答え|session[ _-](?:id|cookie)|パス(?=は|：|:)|鍵|キー|秘密`,
  "gu",
);

/** Words near which one may stand: what stands there must look like nothing else. */
export const mayCallIt = new RegExp(
  verbatim`(?<![\p{L}])(?:users?|user ?names?|accounts?|s?ftp|acceso|accès|connexion|provisoire|provisional|vorläufig\p{L}*|leaked|revoke|probier|versuch|essaie|prueba|guest|admin|root|sign(?:s|ed)? in|logs? in|gets? in|get into|unlock|unseal\p{L}*|enter|types?|wi-?fi|wlan|ssid|community|(?<!(?:${otherCodes}) )codes?(?! (?:${otherCodes}))|sticky note|router|bios|portal|enable|benutzer|konto|zettel|anmeld\p{L}+|ssh (?:in|as)\p{L}*|s['’]ouvre|abre|komm(?:t|st|en)|meld(?:et|en|e|est)|on entre|öffne\p{L}*|tippt?|heißt|hieß|losung|codewort|sysadmin|felder?|einwahl|verschlüsselt|geschützt|zip|eingeben|eintippen|archiv\p{L}*|basic auth|safe word|code word|pass word|tape[zr]?|parole|fritzbox|gateway|vault|luks|opens with|you['’]re in|locked out|ausgesperrt|try(?= \S*[!$%&?#~+=^*])|console|dashboard|admin panel|shown once|signatur\p{L}*|panel|sign-?in|temporary|opens|prompt|recovery|(?:first|second|next) (?:box|field|line)|(?:on|from) the (?:sheet|card|sleeve|label|sticker)|papier|foglio|papel|hoja|firmar|assin\p{L}*|hmac|signing|verify with|rein|entr(?:ar?|er?)|acesso|accesso|acced\p{L}*|connecter?|provvisori[ao]|digita\p{L}*|utente|utilizador|inlog\p{L}*|gebruiker|użytkownik|zaloguj\p{L}*|wchodzi|logga in|användare|protected|encrypted|utilisateur|protégée?s?|chiffrée?s?|protegid[oa]s?|cifrad[oa]s?|compte|digicode|usuario|cuenta)(?![\p{L}])|试试|を試|用户|帐号|进系统|输|登录|暗号|种子|打开|解开|解压|压缩包|パスは|ログイン|で入り|入れない|開きます|開く|開け|アカウント|管理画面|合言葉|無線`,
  "gu",
);

/** Behind `code`, in other languages than English. */
const ofOther = verbatim`(?! (?:\p{L}{1,3}['’ ]){0,2}(?:produ|art[ií]|client|posta|poczt|erro|fout|błęd|zbož|país|fiscal|source|descuento|estado|barras|área|conducta|ошибк))`;

/** Words near which some digits are one. */
export const callsItPin = new RegExp(
  verbatim`${passwords}|pin(?:コード|码)|(?<![\p{L}_])(?:pins?\d?(?!_)|puk\d?|pin[ -]?codes?|(?:door|access|entry|alarm|gate|security|unlock|safe|lock|front|back|host|voicemail|keypad)[ -](?:code|key)s?|(?<!(?:${otherCodes}) )code(?:['’]s| (?:is|was|to|for|became|reads|stays|changed|(?=\d{6}|\d{4}[#*])))|(?:master|service|duress|guest|user)[ -]code|(?<!\p{L})(?<!(?:${otherCodes}) )(?:codes?|código)${ofOther}(?! (?:coverage|review|base))(?:(?: [\p{L}'’]+){1,4} ?[:：=-](?=\s?[*#]?\d{4,8}(?!\d))|[:：=](?= ?(?:\d{6}|\d{4}[*#])))|(?:text|give|send|use)(?: \p{L}+){0,3}(?<!${otherCodes}) code (?=\d)|tap|(?:key in|enter)(?=\s\d)|comb(?:ination|o)|opens? with|unlocks? with|dial|keypad|type|press)(?![\p{L}])|(?:tür|zahlen|zugangs|sperr|kenn)code|geheimzahl|tresor|zahlenkombination|(?<!status|fehler|post|länder|exit|qr|bar|strich|buchungs|spar|rabatt|quell)[- ]?code (?:ist |lautet |war |für|vom|zum|zur)|按(?=\s?\d)|输入?(?=\s?\d)|öffnet mit|(?<!ge|be|ent)schloss|(?:hof|garten|einfahrts|(?<!\p{L}))tor(?!\p{L})|haustür|schlüssel(?:kasten|box)|spind|code d['’](?:accès|entrée)|k[oó]d(?:em|en|u)?${ofOther}|codice${ofOther}|şifre\p{L}*|код${ofOther}|grind(?:en)?|cadeado|cofre|fechadura|lucchetto|cassaforte|serratura|kłódk\p{L}*|sejfu?|toegangscode|hangslot|kluis|zámek|lås(?:et)?|code van${ofOther}|code${ofOther} (?:de la|du|de l['’]|pour|est)|digicode|código${ofOther}|se abre con|s['’]ouvre avec|candado|cadenas|combina(?:ison|ción)|boîte à clés|caja de llaves|(?:bike|cycle|bag|combination)[ -]lock|padlock|(?:lock|key) ?box|门禁|门码|取件码|入会|取款|开门|保险箱|锁|大门|暗証|[開解]錠|門の|鍵の番号|パスコード|解除コード|ロッカー|キーボックス|玄関|金庫|ロック|撤防|布防|解除|entrer|saisi[rs]\p{L}*|compose[rz]|tape[rz]|teclea\p{L}*|marcar|marca(?=\s\d)|marque|introduc\p{L}*|pulsar?|eingeben|einzugeben|alarm\p{L}*|key ?safe|schranke|tippt|eingibt|coffre|caja fuerte|portail|复印机|複合機|打印机`,
  "gu",
);

/** What opens with some digits: they stand right after a word that joins them. */
export const opensByDigits = new RegExp(
  verbatim`(?<![\p{L}])(?:siren|aufzug|\p{L}*tablet|larmet|hek|desarma\p{L}*|désarm\p{L}*|allarme|подъезд\p{L}*|двер\p{L}*|сейф\p{L}*|ворота|домофон|kapı\p{L}*|menu|beep|painel|kopierer|öppnas|dörr\p{L}*|furtk\p{L}*|portão|cancello|cassetta|allarme|slagboom|kastje|brama|domofon|till|kasse|caisse|caja|log ?in|sign in|meldet|anmeld\p{L}*|s['’]identifie|identificamos|badge|chip|porte|\p{L}*tür|gate|safe|door(?! number)|entrance|\p{L}*eingang|entrée|entrada|e?sim|atm|shed|\p{L}{0,12}garage|kommt man|kommst du|on entre|se entra|se accede|gets? in|locker|suitcase|luggage|intercom|barn|cabin|cottage|turnstile|mailbox|(?:parcel|courier) ?box|cabinet|cupboard|vault|profile|tablet|ipad|phone|screen|voicemail|bridge|headset|speaker(?!:)|pairing|parental|copier|vending|lift|elevator|shutter|barrier|garagentor|rolltor|briefkasten|koffer|fahrradkeller|pforte|sprechanlage|packstation|bildschirm|sperre|handy|portillon|casier|valise|interphone|barrière|antivol|téléphone|tablette|portón|portal|garaje|trastero|taquilla|buzón|maleta|verja|puerta|tableta|teléfono|locked|unlocked|disarm\p{L}*|entsperr\p{L}*|desbloque\p{L}*|déverrouill\p{L}*|débloqu\p{L}*|désactiv\p{L}*|desactiv\p{L}*|apaga|coupe|abre|ouvre|öffne\p{L}*|geht|\p{L}{3,20}sperre)(?! number| extension)(?![\p{L}])|[小铁侧]门|快递柜|取件|信箱|车库|单元门|柜子?|行李箱|卷帘门|后门|前门|平板|手机|宅配ボックス|ボックス|扉|ドア|シャッター|駐輪|郵便受け|オートロック|インターホン|勝手口|裏口|入口|レジ|门口|刷卡|钥匙盒|收银|ロッカー|端末`,
  "gu",
);
