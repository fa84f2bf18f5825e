/** Stands in, on one machine and in tests, for the bindings that have no local simulation. Never deployed. */
export { AiEmulator } from "./ai.ts";
export { Outbound } from "./outbound.ts";
export { LocalVectors, VectorizeEmulator } from "./vectorize.ts";
