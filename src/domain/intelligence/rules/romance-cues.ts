import type { Cues } from "./cues.ts";

/** A sentence that tells of a thing or somebody by name, and says something that can be looked up: a number, a name, an identifier. */
const concrete = String.raw`(?=.*(?:\d|\S[\s("']\p{Lu}|[_/@#]\w|\w\.\w))`;

const eitherOf = (...forms: readonly RegExp[]): Cues["keep"] => ({ test: (text) => forms.some((form) => form.test(text)) });

const fr: Cues = {
  lead: /^(?:(?:(?:oui|non),|ok|d'accord|bon|alors|et|mais|en fait|au fait|d'ailleurs|à noter|merci|salut|bonjour|bonsoir|pour info|(?:retiens|rappelle-toi|souviens-toi)(?: bien)?(?: que)?|n'oublie pas que)[,:]? )+/iu,
  drop: new RegExp(
    [
      String.raw`^(?:(?:bonjour|salut|bonsoir|merci|beaucoup|ok|oui|non|super|parfait|très|bien|génial|d'accord|ça|va|marche|au|revoir|à|bientôt|plus|tard|top|cool)[\s,.!]*)+$`,
      String.raw`^(?:comment|qu'est|quoi|quel\p{L}*|pourquoi|qui|où|quand|combien|est-ce|peux-tu|pouvez|pourrais-tu|pourriez|peut-on|as-tu|avez-vous|y a-t-il|faut-il)(?!\p{L})`,
      String.raw`^(?:(?:s'il te plaît|stp|s'il vous plaît),? )?(?:montre|affiche|écris|donne|explique|aide|corrige|ajoute|crée|supprime|vérifie|cherche|traduis|résume|lance|exécute|fais|ouvre|regarde|attends|essaie|liste|génère|teste|mets|modifie|renomme|dis|compare|continue)z?(?!\p{L})`,
      String.raw`(?<!\p{L})(?:un instant|une seconde|tout de suite|peut-être|aucune idée|ne marche pas|tu|ta|ton|tes|vous|votre|vos|je (?:pense|crois|espère|suppose|cherche|veux|voudrais|vais voir|me demande|ne sais pas|ne comprends pas|regarde|essaie|suis (?:prêt|fatigué|désolé|en train|d'accord))|j'(?:ai (?:besoin|une question|un problème|une erreur)|aimerais|essaie|espère))(?!\p{L})`,
    ].join("|"),
    "iu",
  ),
  keep: eitherOf(
    new RegExp(
      [
        String.raw`^(?:(?:s'il te plaît|stp),? )?(?:n(?:e |')\P{L}?\p{L}.{0,40}(?<!\p{L})(?:jamais|pas)|(?:\p{L}+ )?(?:toujours|jamais)|évite|dorénavant|désormais)(?!\p{L})`,
        String.raw`^(?:décision|règle|cause|échéance)\s?:`,
        String.raw`^(?:mon|ma|mes|notre|nos) (?!question|problème|erreur)`,
        String.raw`(?<!\p{L})(?:je |j'|nous |on )(?:(?:ne |n'|m'|me |en |y |nous |l'|les? |la )*)(?:appelle|suis|habite|vis|travaille|viens|préfère|aime|adore|déteste|utilise|parle|bois|mange|joue|ai|étudie|apprends|enseigne|dirige|gère|cours|conduis|prends|habitons|vivons|avons|utilisons|travaillons|préférons|sommes|déployons|hébergeons|a|utilise|déploie|héberge)(?!\p{L})`,
      ].join("|"),
      "iu",
    ),
    new RegExp(String.raw`^(?:(?:[Ll][ea]s?|[Cc]haque|[Tt]ou(?:s|tes)) |[Ll]'|\p{Lu}[\p{L}\p{N}_.-]* )${concrete}.{0,80}?(?<!\p{L})(?:est|sont|utilise|utilisent|tourne|tournent|s'appelle|se trouve|doit|doivent|commence|finit|expire|coûte|dépend|écoute|travaille|habite|préfère|aime|vit|parle|a|ont|gère|dirige)(?!\p{L})`, "u"),
    /^\p{Lu}\p{Ll}+ (?:dirige|gère|s'occupe|habite|travaille|préfère|aime|vit|parle) /u,
  ),
  done: /^(?:(?:décision|conclusion)\s?:|nous avons décidé|j'ai (?:ajouté|créé|mis à jour|modifié|supprimé|corrigé|déployé|configuré|déplacé|renommé|remplacé|installé|enregistré|réservé)(?!\p{L}))/iu,
  first: /(?<!\p{L})(?:(?:je|moi|mon|ma|mes|me|nous|notre|nos|on)(?!\p{L})|[jm]')|^(?:(?:s'il te plaît|stp),? )?(?:n[e']|(?:\p{L}+ )?(?:toujours|jamais)|évite|dorénavant|désormais)/iu,
};

/** Spanish leaves the pronoun out. */
const ownVerbs = "me llamo|me mudé|me gustan?|me encantan?|vivo|trabajo|soy|estoy|tengo|uso|utilizo|prefiero|odio|hablo|bebo|juego|estudio|aprendo|enseño|dirijo|vengo|nací|toco|cambié|corro|conduzco|compré|vendí|dejé|empecé|vivimos|usamos|utilizamos|tenemos|trabajamos|preferimos|decidimos|hemos|desplegamos|alojamos|somos";

/** What is to be done from now on: a wish of the speaker that names nobody. */
const esRule = String.raw`^(?:por favor,? )?(?:(?:\p{L}+ )?(?:nunca|siempre)|evita|ya no|no (?:me )?\p{L}{2,}[ae]s|a partir de ahora|de ahora en adelante)(?!\p{L})`;

const es: Cues = {
  lead: /^(?:(?:(?:sí|no),|ok|vale|bueno|pues|y|pero|además|por cierto|gracias|hola|en realidad|recuerda(?: que)?|no olvides que)[,:]? )+/iu,
  drop: new RegExp(
    [
      String.raw`^(?:(?:hola|buenos|buenas|días|tardes|noches|gracias|muchas|ok|sí|no|vale|genial|perfecto|muy|bien|claro|adiós|hasta|luego)[\s,.!¡]*)+$`,
      String.raw`^(?:¿|(?:cómo|qué|quién\p{L}*|dónde|cuándo|por qué|cuál\p{L}*|cuánt\p{L}+|puedes|podrías|puede|hay|tienes)(?!\p{L}))`,
      String.raw`^(?:por favor,? )?(?:muestra|muéstra|escribe|escríbe|da|explica|explíca|ayuda|ayúda|corrige|añade|agrega|crea|borra|elimina|revisa|busca|traduce|resume|ejecuta|haz|abre|mira|espera|prueba|lista|genera|pon|cambia|renombra|di|compara|continúa)(?:me|lo|la)?(?!\p{L})`,
      String.raw`(?<!\p{L})(?:un momento|ahora mismo|quizás?|tal vez|no sé|creo|pienso|espero|me pregunto|quiero|quisiera|necesito|no funciona|tus?|usted|estoy (?:listo|lista|cansad[oa]|probando|buscando|mirando|intentando|de acuerdo)|tengo (?:una pregunta|un problema|un error|una duda))(?!\p{L})`,
    ].join("|"),
    "iu",
  ),
  keep: eitherOf(
    new RegExp(
      [
        esRule,
        String.raw`^(?:decisión|regla|causa|plazo)\s?:`,
        String.raw`^(?:mis?|nuestr[oa]s?) (?!pregunta|problema|error)`,
        String.raw`^(?:(?:en|desde) [^,]{1,30},? )?(?:(?:yo|ya|también|ahora|actualmente|nosotr[oa]s|no),? )*(?:${ownVerbs})(?!\p{L})`,
      ].join("|"),
      "iu",
    ),
    new RegExp(String.raw`^(?:(?:[Ee]l|[Ll][ao]s?|[Cc]ada|[Tt]od[oa]s?) |\p{Lu}[\p{L}\p{N}_.-]* )${concrete}.{0,80}?(?<!\p{L})(?:es|son|está|están|usa|usan|corre|corren|se llama|debe|deben|empieza|termina|caduca|cuesta|depende|escucha|trabaja|vive|prefiere|tiene|tienen|habla|dirige)(?!\p{L})`, "u"),
    /^\p{Lu}\p{Ll}+ (?:dirige|gestiona|vive|trabaja|prefiere|tiene|habla) /u,
  ),
  done: /^(?:(?:decisión|conclusión)\s?:|hemos decidido|he (?:añadido|creado|actualizado|modificado|eliminado|corregido|desplegado|configurado|movido|renombrado|reemplazado|instalado|guardado|reservado)(?!\p{L}))/iu,
  first: new RegExp(String.raw`(?<!\p{L})(?:yo|mí|mis?|nos|nuestr[oa]s?|nosotr[oa]s)(?!\p{L})|^(?:\p{L}+,? ){0,6}(?:${ownVerbs})(?!\p{L})|${esRule}`, "iu"),
};

export const romanceCues = { fr, es };
