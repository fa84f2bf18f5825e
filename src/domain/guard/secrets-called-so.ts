import type { Finding } from "./finding.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import { isAboutOne, isOther } from "./secret-assignments.ts";
import { after, before, cuesOf } from "./secret-cues.ts";
import { digitsInGroups, direct, isPinThere, joined, nearKeypad, network, strongBox } from "./secret-digits.ts";
import { secretsOfLists } from "./secret-lists.ts";
import { callsItSecret, recoveryCodes } from "./secret-names.ts";
import { entropyOf, isChain, isComposed, isNumbered, isPassphrase, isPasswordLike, isRandomKey, isUnmistakable, isWord, ofCode } from "./secret-shapes.ts";

const linked = /(?:(?<!\p{L})(?:je|jest|är|er|é|è|is|was|reads|ist|est|es|auf)|lautet|heißt|:|=|(?<!\b(?:hop|jump|ssh|connect|over|log ?in|go|switch|tunnel) )to|は|是)(?:\s+(?:now|still|always|jetzt|noch|immer|désormais|ahora|siempre))?\s*["'„“«「]?\s*$/iu;
const isSaid = /^\S?\s+(?:is|ist|est|es|as|als|comme|como)\s|^\s?[是がは为]/;
/** Runs of Latin letters, digits and signs. */
const run = /[!-~\u00a1-\u052f]{4,200}/g;
const generated = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!#$%&*?@^~])(?!.*%[\dA-F]{2})[\w!#$%&*?@^~+=-]{9,23}\w$/;
const mayBeGenerated = /\w[!#$%&*?@^~]\w/;
/** Names of what is no secret. */
const isOfOther = /(?:commit|fingerprint|trace|request|checksum|sha|digest|image|build|revision|sheet|doc|file|folder|id|hash|public[ _-]?key|pubkey|article|artikel|model|host|branch|deploy(?:ment)?|release|pod|container|cluster|repo(?:sitory)?|bucket|queue|topic|run|job|pipeline|tag|node|machine|instance|r[ée]f\.?)\s{0,3}[:=]?\s*["']?$|(?:fingerprint|checksum|id|hash) (?:is|was|will be|ist|est|es) ["'`]?$/i;

/** What stands near a word such as "password" and looks like one. */
export function secretsCalledSo(text: string, lowered: string): Finding[] {
  const known = cuesOf(text, lowered);
  const { cues, hints, pins, locks, follows, isNear } = known;
  const isQuiet = cues.length + pins.length + hints.length + locks.length === 0;
  const found = secretsOfLists(text);
  if (isQuiet && !strongBox.test(text) && !nearKeypad.test(text) && !mayBeGenerated.test(text)) return found;
  if (callsItCodes.test(text)) for (const { index, 0: { length } } of text.matchAll(oneTimeCode)) if (isNear(cues, index, index + length, 160)) found.push({ kind: "recovery code", start: index, end: index + length });
  for (const { index, 0: whole } of text.matchAll(run)) {
    const [, lead = "", value = ""] = /^([("'`“„«[{<*,:;=>-]*)(.*?)(?:[)"'`”“»\]}<>.,:;]|\*\*)*$/s.exec(whole) ?? [];
    if (isWord.test(value)) continue;
    // `SameSite=Strict`: a word that another name has; a type and what it is made of.
    if (/^[A-Za-z][A-Za-z_.-]{2,}=[A-Za-z-]+$|^sha\d{3}\/|^\w+@(?:\d+\.){3}|[\w)]<\w|\w>\w/.test(value)) continue;
    const start = index + lead.length;
    const end = start + value.length;
    const [ahead, behind] = [text.slice(Math.max(0, start - 80), start), text.slice(end, end + 48)];
    const close = ahead.slice(-direct);
    const [, name = ""] = !/[:=]\s{0,3}["'`]?$/.test(close) ? [] : /(?:^|[{,;(\n]\s{0,8}|\s(?=[\w.-]*[_.-]))["']?([\w.-]{3,60})["']?\s{0,3}[:=]\s{0,3}["'`]?$/.exec(ahead) ?? [];
    if (isOther(name) || isAboutOne.test(name) || isUserName.test(ahead) || isExample.test(ahead) || (/^[a-z]+(?:-[a-z]+)+$/.test(value) && isRun.test(ahead))) continue;
    const add = (): void => void found.push({ kind: "password or key", start, end });
    if (/^(?:\d{2,5}[A-F]\d{0,3}|[A-D]\d{4,5})$/.test(value) && (follows(pins, start, 40) || (joined.test(close) && (follows(locks, start, 48) || follows(pins, start, 72))))) add();
    if (/^[*#]?\d(?:-?\d){3,7}[*#]?$/.test(value)) {
      if (isPinThere(known, { value, start, end, ahead, behind })) found.push({ kind: "password or key", start, end: end + (/^(?: \d{4})+(?!\d)/.exec(behind)?.[0].length ?? 0) });
      if (value.length < 9) continue;
    }
    const isLinked = linked.test(close);
    const isNamedOtherwise = isOfOther.test(ahead.slice(-24));
    // A hash, unless it is said to be the secret.
    const isOfAnother = /^[0-9a-f]{32,64}$/.test(value) && (isNamedFirst(ahead) || !(follows(cues, start, after) || isSaid.test(behind)));
    const isCalled =
      (follows(cues, start, direct) || (isSaid.test(behind.slice(0, direct)) && cues.some((cue) => cue.start >= end && cue.start - end <= before)) || (follows(cues, start, after) && isLinked && !isNamedOtherwise)) &&
      !isStandIn(value) && (/^\p{L}{3,}(?:[-.]\p{L}{3,}){3,}$|^\d{9,63}$/u.test(value) || (!isPlaceholder(value) && (/^\p{L}{4,}(?:19|20)\d\d$/u.test(value) || (/^\p{L}{3,}(?:-\p{L}{2,}){2,}$/u.test(value) && !ofCode.test(value)))));
    // Nothing calls it so, but it is as a generator makes them.
    const isGenerated = lead === "" && !/= ?\W?$/.test(close) && entropyOf(value) > 3 && generated.test(value) && !/^[\w-]+=|&\w+=/.test(value) && !isPlaceholder(value);
    // What lets somebody in, right behind `with`.
    const isGivenIn = isWith.test(close) && follows(hints, start, 40) && ((isPasswordLike(value) && (!isNumbered(value) || /_.*_/.test(value))) || isChain(value));
    // `test account tech01, password is in 1Password`: the word stands for what comes after it.
    const isAccount = (): boolean => isAccountName.test(ahead) && (isSaid.test(behind) || !follows(cues, start, after));
    const isOfNetwork = /^[A-Z\d]{12,}$/.test(value) && joined.test(close) && network.test(ahead.slice(-40));
    const isThere = (): boolean => isPasswordLike(value) && (!isNumbered(value) || isLinked || isComposed(value)) && (isNear(cues, start, end) || (isUnmistakable(value) && (isNear(hints, start, end, 60) || cues.some((cue) => cue.start >= end && cue.start - end <= 64))));
    if (isCalled || isGenerated || isGivenIn || isOfNetwork || (!isNamedOtherwise && isRandomKey(value) && isNear(hints, start, end, 40)) || (isPassphrase(value) && follows(hints, start, 24)) || (!isNamedOtherwise && !isOfAnother && isThere() && !isAccount())) add();
  }
  return [...found, ...digitsInGroups(text, known)];
}

const isWith = /(?<!\p{L})(?:followed by|suivi de|seguid[oa] de|gefolgt von|with|using|mit|avec|con|com|met|med|z|digita\p{L}*(?:-se)?|(?:and|und|et|y|e|en|i) (?:then|dann|puis|luego|poi|depois|dan)) ["'`„“«]?$/iu;
const callsItCodes = new RegExp(recoveryCodes, "i");
const oneTimeCode = /(?<![\w-])(?:(?=[a-z]*\d|[\w-]*[- ]?\w*\d|[a-z]{5}-[a-z]{5}(?![\w-]))[a-z0-9]{4,8}(?:[- ][a-z0-9]{4,8}){1,4}|(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{6,10}|\d{8}|\d{3} \d{3}(?: \d{3})?)(?![\w-])/g;
/** `The trace id of the failed login was …`: what is named first is what it is. */
function isNamedFirst(before: string): boolean {
  const said = before.slice(Math.max(before.lastIndexOf(". "), before.lastIndexOf("\n")) + 1);
  const other = said.search(/\b(?:trace|request|correlation|commit|checksum|sha\d*|md5|digest|etag|fingerprint)\b/i);
  return other >= 0 && other < said.search(callsItOnce);
}
/** `my username on the forum is …` */
const isUserName = /(?:user ?name|benutzername|nom d['’]utilisateur|nombre de usuario|用户名|ユーザー名)(?: (?:on|for|in|at|auf|im|für|sur|pour|en|para) [^.,;:\n]{1,20})?(?: (?:is|ist|est|es)|[是は:：]) ?["'`„“]?$/i;
const isAccountName = /(?:account|user|konto|benutzer|compte|cuenta|usuario)(?: (?:is|ist|est|es))? ["'`„“]?$/i;
/** `npx release-all-packages`: what is run or installed. */
const isRun = /(?:npx|bunx|uvx|dlx|pipx run|(?:npm|pnpm|yarn|bun) (?:run|add)|(?:pip|brew|apt|cargo|npm|pnpm|go) install)(?: -\S+)* ["'`]?$/;
/** `such as …`, in advice. */
const isExample = /(?:such as|like(?= ["'“]?$| \S+ or ["'“]?$)|e\.g\.|for example|z\. ?B\.|par exemple|por ejemplo|比如|例如|たとえば)[^.:：\n]{0,24}$/i;
const callsItOnce = new RegExp(callsItSecret.source, "iu");
