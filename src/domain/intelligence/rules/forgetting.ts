/** Ways to ask that something be forgotten; what follows is a statement, or something of the speaker's. */
const requests: readonly RegExp[] = [
  /^(?:[Pp]lease )?[Ff]orget (?:(?:the fact )?that (?=\p{Lu}|(?:my|our|we) )|(?:about )?(?=(?:my|our|\p{Lu}\S*'s) ))(?<what>.+)$/u,
  /^(?:[Bb]itte )?[Vv]ergiss(?: bitte)?(?:,? dass | (?=(?:mein|unser)\p{L}* ))(?<what>.+)$/u,
  /^(?:[Ss]'il te plaît,? )?[Oo]ublie (?:que |(?=(?:mon|ma|mes|notre|nos) ))(?<what>.+)$/u,
  /^(?:[Pp]or favor,? )?[Oo]lvida (?:que |(?=(?:mis?|nuestr[oa]s?) ))(?<what>.+)$/u,
  /^请?忘(?:记|掉|了)(?<what>我.+)$/u,
];

/** "Please forget that I live in Kiel", by a speaker who may stand before it: "I live in Kiel"; undefined where nothing is to be forgotten. */
export function forgottenBy(text: string): string | undefined {
  const [, speaker = "", said = text] = /^([^:：]{1,40}: )?(.*)$/su.exec(text) ?? [];
  for (const request of requests) {
    const what = request.exec(said)?.groups?.["what"];
    if (what !== undefined) return speaker + what;
  }
  return undefined;
}
