import fc from "fast-check";

/** `VITE_PROPERTY_SEED=7 npx vitest run test/properties` draws what a run with this seed drew; a failed property prints its own. */
const seed = process.env["VITE_PROPERTY_SEED"];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
