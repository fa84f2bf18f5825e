import { verbatim } from "../verbatim.ts";
import type { Finding } from "./finding.ts";
import { isChosen, otherKeys, secretNames } from "./secret-names.ts";
import { isKey, isPassword, isPin } from "./secret-shapes.ts";
import { readsAsSentence } from "./secret-words.ts";

const quoted = verbatim`"([^"\n]{3,300})"|'([^'\n]{3,300})'|\x60([^\x60\n]{3,300})\x60|“([^”\n]{3,300})”|„([^“”\n]{3,300})[“”]|«\s?([^»\n]{3,300}?)\s?»|「([^」\n]{3,300})」|『([^』\n]{3,300})』`;
const bare = verbatim`([^\s"'\x60,;，。、；）)（(「」“”<>|]{3,300})`;
/** `name: value`, `name = "value"`, `<name>value</name>`, `define('NAME', 'value')`. */
const assigned = new RegExp(`((?:${secretNames})[\\w-]{0,30})["'\`)\\]]{0,3}[ \\t]{0,3}(?:=>|:=|==?|[:：＝→>]|\\((?=["'])|,(?=\\s*["'])|[ \\t]value=|</key>\\s*<string>|:[ \\t]*\\n[ \\t]*-[ ]|\\.(?:type|fill|send_?keys|set_?value|val)\\((?=["']))[ \\t]{0,3}(?:(?:buffer\\.from|b64decode|bytes\\.fromhex|atob|\\[\\]byte|bytes|string|str|secret|securestring|new [a-z.]{1,20})\\()?(?:${quoted}|${bare})`, "gu");
const isCall = /^\(/;
/** Names of what is about a secret. */
export const isAboutOne = /(?:name|ref|ids?|type|path|file|dir|url|uri|endpoint|length|len|count|limits?|size|max|min|expiry|expires|expires_in|expiration|ttl|age|policy|field|label|hint|header|class|store|manager|provider|env|var|arn|version|rotation|reset|prefix|format|hash|digest|strength|rules?|usage|budget|cost|price|window|bucket|scopes?|alg|algorithm|alias|encryption|mode|driver|backend|plugin|service|table|column|attribute|map|list|handler|order|by|board|minute|timeout|port|interval|iz(?:er|ation))$/i;
/** `keyboard`, `tokenizer`: a longer word. */
export const isOther = (name: string): boolean => /^(?:keys?|tokens?|pass|pins?)[a-z]{3,}/.test(name) && !/^(?:keys?|tokens?|pass|pins?)(?:word|wort|wd|phrase|code|pass|value|string|secret|hex|plain|data|store)/.test(name);
const ofOtherKey = new RegExp(`(?:${otherKeys})[ _-]$`);
const stem = new RegExp(`^.*(?:${secretNames})`, "u");

/** What is assigned to a name such as `password`. */
export function assignedSecrets(text: string, lowered: string): Finding[] {
  const found: Finding[] = [];
  assigned.lastIndex = 0;
  for (let match = assigned.exec(lowered); match; match = assigned.exec(lowered)) {
    const [whole, name = ""] = match;
    // The value of one name may be the next one: `key="Password" value="…"`.
    assigned.lastIndex = match.index + name.length;
    const value = match.slice(2).find((group) => group !== undefined) as string;
    const start = match.index + whole.lastIndexOf(value);
    const end = start + value.length;
    const rest = name.replace(stem, "").replace(/^[_-]/, "");
    if (isAboutOne.test(rest) || isOther(text.slice(match.index, match.index + name.length))) continue;
    const said = text.slice(start, end);
    if (name === "key" && (/^[a-z]+(?:-[a-z\d]+)+$/.test(said) || ofOtherKey.test(lowered.slice(Math.max(0, match.index - 14), match.index)))) continue;
    const isWritten = isChosen.test(name) && !isCall.test(whole.slice(name.length)) && isPassword(said, whole.endsWith(value) ? 0 : 1);
    if (isKey(said) || isPin(said, name) || (isWritten && !(said.includes(" ") && readsAsSentence(value)))) found.push({ kind: "password or key", start, end });
  }
  return found;
}
