import type { Embedder, Embedders } from "./embedder.ts";

/**
 * A vector space is named by its embedder and by the form of the ids that its vectors have in the index. Ids of the former
 * form named no team, so two teams that held one memory id overwrote each other's vectors. A space of the former form is
 * left as a model is that was replaced: it goes on answering until the space of the present form is complete, and is then
 * removed (vector-task.ts). Its vectors are taken over, so that nothing is embedded again.
 */
const presentForm = "#2";

/** Whether the ids of the space name their team. */
export const namesTeams = (space: string): boolean => space.endsWith(presentForm);

/** The embedder of a space by name, whatever form the ids have: `workers-ai:@cf/baai/bge-m3:1024`. */
export const modelOf = (space: string): string => (namesTeams(space) ? space.slice(0, -presentForm.length) : space);

/** The space whose vectors may be taken over: of the same embedder, with ids of the former form. */
export const formerSpace = (space: string): string | undefined => (namesTeams(space) ? space.slice(0, -presentForm.length) : undefined);

/** The embedders over spaces of the present form; those of the former form are found by their name. */
export function withTeamIds(embedders: Embedders): Embedders {
  const present = inPresentForm(embedders.current);
  return {
    current: present,
    bySpace(space) {
      if (space === present.space) return present;
      const former = formerSpace(space);
      const embedder = embedders.bySpace(former ?? space);
      return embedder && former !== undefined ? inPresentForm(embedder) : embedder;
    },
  };
}

const inPresentForm = (embedder: Embedder): Embedder => ({
  space: `${embedder.space}${presentForm}`,
  dimensions: embedder.dimensions,
  maxBatch: embedder.maxBatch,
  takesMany: embedder.takesMany,
  embed: (...args) => embedder.embed(...args),
});
