/**
 * What Vectorize must be able to filter by, or to hand back beside a match (`shard`). An index sees only vectors that are
 * upserted after it exists, so all of them come before the first vector:
 *
 *   wrangler vectorize create omnimemory --dimensions=<of the model> --metric=cosine
 *   wrangler vectorize create-metadata-index omnimemory --property-name=<name> --type=string
 */
export const metadataIndexes = { audience: "string", kind: "string", team: "string", shard: "string" } as const;
