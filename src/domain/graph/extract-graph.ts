import { visibilityKeyOf, isExpired, topicOf, type Memory } from "../memories/memory.ts";
import { projectName } from "../project.ts";
import { indexTerms, queryTerms } from "../text/query-terms.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { extract, type Hints } from "./extract/extract.ts";
import { loadLexicon, type Lexicon } from "./extract/lexicon.ts";
import { normalName, type ExtractedEntity, type Extraction } from "./graph.ts";
import { nameBasedId } from "./ids.ts";
import { inOnePiece } from "./one-piece.ts";
import type { Contribution, DrawnContribution, GraphWriter } from "./graph-store.ts";
import { referencesIn } from "./references.ts";

/** Names the rules of extraction: when they change, the stage that draws starts over under the new name. */
export const extractionRules = "rules-1";

/**
 * Memories in one transaction. A shard does one thing at a time, and a memory takes it up to 3 ms: a page at once would keep
 * people waiting.
 */
const batch = 32;

/**
 * Draws entities, relationships and links from memories that changed, in place of what earlier versions gave. Archived,
 * expired and secret ones contribute nothing but who superseded them. The same page again leaves the same behind. Answers
 * what was drawn.
 */
export async function extractGraph(ports: { graph: Pick<GraphWriter, "contribute"> }, team: TeamRef, now: number, memories: Memory[]): Promise<DrawnContribution[]> {
  const lexicon = loadLexicon();
  const contributions = memories.flatMap((memory) => {
    if (memory.archivedAt === null && memory.sensitivity === "normal" && !isExpired(memory, now)) return contributionOf(memory, lexicon);
    return memory.supersededBy === null ? [] : { memoryId: memory.id, version: memory.version, entities: [], relationships: [], references: [] };
  });
  const extracted = await Promise.all(contributions);
  for (let from = 0; from < extracted.length; from += batch) await ports.graph.contribute(team, now, extracted.slice(from, from + batch));
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  return extracted.map(({ references: _references, ...contribution }) => {
    const { visibility, ownerId, expiresAt } = byId.get(contribution.memoryId) as Memory;
    return { ...contribution, home: visibilityKeyOf(visibility, ownerId), expiresAt };
  });
}

export async function contributionOf(memory: Memory, lexicon: Lexicon): Promise<Contribution> {
  const extraction = extract(memory.content, hintsOf(memory), lexicon);
  const scope = [memory.teamId, visibilityKeyOf(memory.visibility, memory.ownerId)];
  const types = new Map(extraction.entities.map((entity) => [entity.name, entity]));
  const norm = (name: string): string => normalName(name, (types.get(name) as ExtractedEntity).type);
  return {
    memoryId: memory.id,
    version: memory.version,
    entities: (await Promise.all(extraction.entities.map((entity) => namesOf(scope, entity)))).flat(),
    relationships: await Promise.all(
      extraction.relationships.map(async ({ source, type, target, temporalContext, ...rest }) => ({
        ...rest,
        validFrom: rest.validFrom ?? memory.validFrom,
        validTo: rest.validTo ?? memory.validTo,
        id: await nameBasedId([...scope, "relationship", norm(source), type, norm(target)]),
        source: norm(source),
        type,
        target: norm(target),
        sourceName: source,
        targetName: target,
        context: temporalContext,
        tokens: shares(queryTerms(`${source} ${type.replaceAll("_", " ")} ${target}`).map(({ term }) => term)),
      })),
    ),
    references: referencesIn(memory),
  };
}

function hintsOf(memory: Memory): Hints {
  const project = memory.namespace.startsWith("user:") ? "" : projectName(topicOf(memory.namespace));
  return { at: memory.occurredAt ?? memory.createdAt, dated: memory.occurredAt !== null, ...(project === "" ? {} : { project }) };
}

/** One for the main name and one for each alias, which are found by their own words. */
async function namesOf(scope: string[], { name, type, aliases, confidence }: Extraction["entities"][number]): Promise<Contribution["entities"]> {
  const entity = normalName(name, type);
  const id = await nameBasedId([...scope, "entity", entity]);
  return [name, ...aliases].map((spelling) => {
    const norm = normalName(spelling, type);
    return { id, entity, norm, name: spelling, type, confidence, tokens: tokensOf(spelling, norm) };
  });
}

/** The words of a name, and the name in one piece: `Node.js` is found by `node`, by `js` and by `nodejs`. */
function tokensOf(name: string, norm: string): [string, number][] {
  const whole = inOnePiece(norm);
  const parts = [...new Set(indexTerms(name))].filter((term) => term !== whole);
  return [...(whole === undefined ? [] : [[whole, 1] as [string, number]]), ...shares(parts)];
}

const shares = (parts: string[]): [string, number][] => parts.map((part) => [part, 1 / parts.length]);
