export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Every place in a document, with how it is changed there. */
export function* changesOf(value: Json, put: (changed: Json) => void, path = ""): Generator<[path: string, apply: () => void]> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* changesOf(item, (changed) => void (value[i] = changed), `${path}[${i}]`);
    yield [`${path} with one more`, () => void value.push(value[0] ?? "x")];
    return;
  }
  if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      yield* changesOf(item, (changed) => void (value[name] = changed), `${path}.${name}`);
      yield [`${path} without ${name}`, () => void delete value[name]];
    }
    yield [`${path} with a further field`, () => void (value["further"] = 1)];
    return;
  }
  yield [path, () => put(typeof value === "number" ? value + 1 : typeof value === "string" ? `${value}x` : "x")];
}

/** The document once for each of its places, changed there. */
export function* tampered<D extends Record<string, unknown>>(document: D): Generator<[path: string, changed: D]> {
  const places = [...changesOf(structuredClone(document) as unknown as Json, () => undefined)].map(([path]) => path);
  for (const [at, path] of places.entries()) {
    const copy = structuredClone(document);
    [...changesOf(copy as unknown as Json, () => undefined)][at]?.[1]();
    yield [path, copy];
  }
}
