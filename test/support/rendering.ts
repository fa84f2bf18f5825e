import { recallRendering } from "../../src/tools/render-recall.ts";

/** Of an answer that goes out as text and in its structured form. */
export const rendering = recallRendering({ structured: true, mayWiden: true });
