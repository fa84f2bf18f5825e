/**
 * Whether a question asks for all of several things and not for one ("What are all the variables?", "in both projects"): a list, as TREC's
 * question answering has it, in place of a factoid. In English, German, French, Spanish, Chinese and Japanese.
 */
export const asksForSeveral = (question: string): boolean => several.test(question);

const several =
  /\b(?:all|every(?:thing)?|each|both|overall|across|various|several)\b(?!-)|\b(?:the|an?) (?:full|complete|entire|whole)\b(?!-)|\blist (?:of|all|the)\b|\bhow many times\b|\b(?:alle[nrs]?|beide[nrs]?|sämtliche[nrs]?|jede[mnrs]?|insgesamt)\b|\bwie oft\b|\b(?:tou(?:te)?s|chaque|plusieurs)\b|\b(?:tod[oa]s|cada|amb[oa]s|vari[oa]s)\b|哪些|所有|全部|分别|すべて|全て|一覧|それぞれ/iu;
