import { vi } from "vitest";
import type { VectorHit } from "../../src/domain/embedding/vector-index.ts";
import { type Nearest, Semantic } from "../../src/domain/recall/retrievers/vector-retriever.ts";

/** The vector leg of every object finds these, whatever is asked; `asked` is the vector of the query. Ends with `vi.restoreAllMocks()`. */
export function nearestAre(near: () => VectorHit[], asked?: NonNullable<Nearest["asked"]>): void {
  vi.spyOn(Semantic.prototype, "nearest").mockImplementation(async (_viewer, _now, _text, { kinds, limit }) => ({
    hits: near().filter(({ kind }, at) => kinds.includes(kind) && at < limit),
    ...(asked ? { asked } : {}),
  }));
}
