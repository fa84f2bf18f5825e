/**
 * The limits of Vectorize v2 (developers.cloudflare.com/vectorize/platform/limits); the emulator refuses the rest as it does.
 */
export const limits = {
  dimensions: 1_536,
  upsert: 1_000,
  nameBytes: 64,
  metadataBytes: 10 * 1_024,
  metadataIndexes: 10,
  indexedBytes: 64,
  filterBytes: 2_048,
  topK: 100,
  topKWithContent: 50,
  // Not in the documentation; error 40007 says so ("max id count is …").
  getByIds: 20,
  deleteByIds: 100,
};

export type Metadata = Record<string, VectorizeVectorMetadata>;

export interface StoredVector {
  id: string;
  values: ArrayLike<number>;
  namespace?: string;
  metadata?: Metadata;
}

export interface QueryOptions {
  topK?: number;
  namespace?: string;
  returnValues?: boolean;
  returnMetadata?: boolean | "all" | "indexed" | "none";
  filter?: VectorizeVectorMetadataFilter;
}

const encoder = new TextEncoder();

export const bytesOf = (text: string): number => encoder.encode(text).length;

export function checkVectors(vectors: StoredVector[], dimensions: number): void {
  refuse(vectors.length > limits.upsert, `too many vectors: at most ${limits.upsert} in one call, got ${vectors.length}`);
  for (const { id, values, namespace, metadata } of vectors) {
    checkName("vector id", id);
    if (namespace !== undefined) checkName("namespace", namespace);
    checkValues(values, dimensions, ` for id="${id}"`);
    const bytes = metadata === undefined ? 0 : bytesOf(JSON.stringify(metadata));
    refuse(bytes > limits.metadataBytes, `metadata of id="${id}" has ${bytes} bytes, at most ${limits.metadataBytes}`);
  }
}

export function checkValues(values: ArrayLike<number>, dimensions: number, of = ""): void {
  refuse(values.length !== dimensions, `invalid vector${of}, expected ${dimensions} dimensions, and got ${values.length} dimensions`);
  for (let at = 0; at < values.length; at += 1) refuse(!Number.isFinite(values[at]), `invalid vector${of}: not a number at ${at}`);
}

export function checkIds(ids: string[], most: number): void {
  refuse(ids.length > most, `too many ids in payload; max id count is ${most}, got ${ids.length}`);
}

export function checkQuery({ topK = 5, namespace, returnValues = false, returnMetadata = "none", filter }: QueryOptions): void {
  const content = returnValues || returnMetadata === true || returnMetadata === "all";
  const most = content ? limits.topKWithContent : limits.topK;
  refuse(!Number.isInteger(topK) || topK < 1 || topK > most, `topK is ${topK}, must be from 1 to ${most}${content ? " with values or full metadata" : ""}`);
  if (namespace !== undefined) checkName("namespace", namespace);
  const bytes = filter === undefined ? 0 : bytesOf(JSON.stringify(filter));
  refuse(bytes >= limits.filterBytes, `filter has ${bytes} bytes, must be less than ${limits.filterBytes}`);
}

function checkName(what: string, name: string): void {
  refuse(name === "" || bytesOf(name) > limits.nameBytes, `${what} "${name}" must have 1 to ${limits.nameBytes} bytes`);
}

export function refuse(wrong: boolean, message: string): void {
  if (wrong) throw new Error(`VECTORIZE_ERROR: ${message}`);
}
