import type { IndexDocument } from "./document.ts";
import type { Documents } from "./documents.ts";
import type { Progress } from "./progress.ts";
import type { TeamShard } from "./source.ts";
import type { TeamVectors } from "./vectors/team-vectors.ts";

/** What D1 has committed under the consecutive numbers `first … last`. */
export interface CommittedChange {
  documents: IndexDocument[];
  first: number;
  last: number;
}

interface Tables {
  documents: Documents;
  progress: Progress;
  vectors: TeamVectors;
  publicOnly: boolean;
  atomically(work: () => void): void;
  /** These audiences lose something they could read; undefined: all may. */
  withdrawn(audiences: readonly string[] | undefined): void;
}

/** Brings changes that D1 has committed into the object's tables; not while the team is being read from D1. */
export class Applying {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** Ids of memories that must be read from the truth with all their versions; where there are any, nothing else is applied. */
  put({ teamId, shard }: TeamShard, changes: readonly CommittedChange[]): string[] {
    const { documents, progress, vectors, publicOnly, atomically, withdrawn } = this.#tables;
    const applied = progress.applied(teamId);
    // A change that the object has already read from the truth may have been erased since, so it is skipped.
    const fresh = changes.flatMap((change) => change.documents.filter(({ seq }) => seq > applied));
    const sensitivityChanged = documents.sensitivityChanged(fresh);
    atomically(() => {
      progress.know(teamId, shard);
      withdrawn(documents.narrowed(fresh).audiences);
      vectors.withdraw(teamId, fresh);
      if (sensitivityChanged.length > 0) {
        // Out at once, and then with all versions from the truth: the gap that stays makes the pass.
        documents.remove(teamId, sensitivityChanged);
        return;
      }
      documents.put(teamId, fresh);
      vectors.withdrawRewritten(teamId, fresh);
      // An organization hears of public changes only; how far it has come is known from its own passes.
      if (!publicOnly) for (const { first, last } of runsOf(changes)) progress.mark(teamId, first, last);
    });
    vectors.unembedded.written(fresh, Date.now());
    return sensitivityChanged;
  }

  remove({ teamId, shard }: TeamShard, memoryIds: string[], first: number, last: number): void {
    const { documents, progress, vectors, publicOnly, atomically, withdrawn } = this.#tables;
    atomically(() => {
      progress.know(teamId, shard);
      withdrawn(documents.readersOf(teamId, memoryIds));
      documents.remove(teamId, memoryIds);
      vectors.removeMemories(teamId, memoryIds);
      // With numbers missing before it, the missing one may be the very memory: the gap stays, and the next pass settles it.
      if (!publicOnly && first <= progress.applied(teamId) + 1) progress.mark(teamId, first, last);
    });
  }
}

/** Their numbers, as few runs as they make. */
export function runsOf(changes: readonly CommittedChange[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const { first, last } of [...changes].sort((a, b) => a.first - b.first)) {
    const run = runs.at(-1);
    if (run && first === run.last + 1) run.last = last;
    else runs.push({ first, last });
  }
  return runs;
}
