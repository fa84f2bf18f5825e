/** Maps a verb to the relationship that it states between subject and object. */
export interface Verb {
  type: string;
  /** Subject and object change places: `was replaced by`. */
  passive?: boolean;
  /** The object need not be a name: people prefer and own things that have none. */
  anything?: boolean;
}

const longest = 4;
const table = new Map<string, Verb>();

/** `forms` are separated by `|`, and each may be followed by each of the `ends`. */
function say(type: string, forms: string, ends = "", options: Omit<Verb, "type"> = {}): void {
  for (const form of forms.split("|")) for (const end of ends.split("|")) table.set(`${form} ${end}`.trim(), { type, ...options });
}

const be = "is|are|was|were|be|been|being|got|get";
const passives = (type: string, participles: string, by = "by"): void => say(type, participles, by, { passive: true });

say("uses", "use|uses|using|used|adopt|adopts|adopted|utilizes|leverages|leveraged|decided to use|decided to adopt|chose to use|agreed to use");
say("uses", "built|powered|backed|written|implemented|based", "with|on|on top of|by");
passives("uses", "used|adopted");
say("depends_on", "depend|depends|depended|relies|rely|relied", "on|upon");
say("depends_on", "require|requires|required|needs");
passives("depends_on", "required|needed");
say("written_in", "written", "in");
say("replaced", "replace|replaces|replaced|superseded|supersedes|supplants");
passives("replaced", "replaced|superseded");
say("runs_on", "run|runs|ran|running|deployed|deploy|deploys|hosted|lives|lived", "on|inside|under");
say("runs_on", "deployed|deploys|deploy|hosted", "to|in|at");
passives("runs_on", "hosted");
say("works_at", "work|works|worked|working|employed", "at|for");
say("works_at", "joined|joins");
say("works_on", "work|works|worked|working", "on", { anything: true });
say("works_with", "work|works|worked|working|paired|pairs|collaborates|collaborated|integrates|integrated", "with");
say("lives_in", "live|lives|lived|living|resides", "in");
say("located_in", "based|located|situated|headquartered", "in|at|near");
say("born_in", "born", "in");
say("moved_to", "move|moved|moves|moving|relocated|relocates", "to");
say("moved_from", "moved|moves|moving|relocated", "from|away from");
say("visited", "visit|visited|visits|travelled to|traveled to|flew to|went to");
say("migrated_to", "migrate|migrated|migrates|migrating|switch|switched|switches|switching|upgraded|upgrade|upgrades|ported", "to");
say("migrated_from", "migrate|migrated|migrating|switched|switching", "from|away from|off");
say("prefers", "prefer|prefers|preferred|favors|favours", "", { anything: true });
say("likes", "like|likes|liked|love|loves|loved|enjoy|enjoys|enjoyed", "", { anything: true });
say("dislikes", "dislike|dislikes|disliked|hate|hates|hated", "", { anything: true });
say("owns", "own|owns|owned", "", { anything: true });
passives("owns", "owned");
say("maintains", "maintain|maintains|maintained", "", { anything: true });
passives("maintains", "maintained");
say("leads", "lead|leads|led|manages|managed", "", { anything: true });
passives("leads", "led|managed");
say("decided_on", "decided on|decided for|chose|choose|chooses|picked|selected|settled on|opted for|went with|going with", "");
passives("decided_on", "chosen|picked|selected");
say("created", "create|creates|created|wrote|built|authored|founded|designed|developed|invented", "");
passives("created", "created|written|built|authored|founded|designed|developed|invented");
say("reports_to", "report|reports|reported", "to");
say("knows", "know|knows|knew|met|meets|befriended");
say("married_to", "married", "|to");
say("implements", "implement|implements|implemented");
passives("implements", "implemented");
say("extends", "extend|extends|extended|inherits from|subclasses|wraps|wrapped");
say("calls", "call|calls|called|invokes|invoked");
passives("calls", "called|invoked");
say("imports", "import|imports|imported");
say("returns", "return|returns|returned");
say("throws", "throw|throws|threw|raises|raised|emits|emitted|fails with|failed with|crashes with|crashed with|rejects with");
say("caused", "cause|causes|caused|triggers|triggered|leads to|led to");
passives("caused", "caused|triggered");
say("fixed", "fix|fixes|fixed|resolves|resolved|solves|solved|closes|closed");
passives("fixed", "fixed|resolved|solved", "by|in");
say("connects_to", "connect|connects|connected|talks|talk|connecting", "to");
say("reads_from", "read|reads|pulls|fetches|consumes", "from");
say("writes_to", "write|writes|wrote|sends|publishes|pushes|exports|logs", "to");
say("stored_in", "stored|kept|persisted|saved|cached", "in");
say("subscribes_to", "subscribe|subscribes|subscribed|listens", "to");
say("part_of", "part of|belongs to|included in|member of|subset of", "");
say("contains", "contain|contains|includes|included|comprises");
say("supports", "support|supports|supported");
say("blocked_by", "blocked", "by|on");
say("blocks", "block|blocks");
say("acquired", "acquire|acquires|acquired|bought");
passives("acquired", "acquired|bought");
say("configured_in", "configured|defined|declared|documented|described|implemented", "in|at");

const beginnings = new Set([...table.keys()].map((words) => words.split(" ", 1)[0] as string));

/** The longest verb that begins at a word. */
export function verbAt(words: readonly string[], i: number): { verb: Verb; end: number } | undefined {
  if (!beginnings.has(words[i] as string)) return undefined;
  for (let n = Math.min(longest, words.length - i); n >= 1; n -= 1) {
    const verb = table.get(words.slice(i, i + n).join(" "));
    if (verb) return { verb, end: i + n };
  }
  return undefined;
}

/** Without it `replaced`, `called` and `used` have their subject do what is done to it. */
export const isAuxiliary = (word: string | undefined): boolean => word !== undefined && be.split("|").includes(word);
