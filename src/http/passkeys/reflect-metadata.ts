/**
 * Takes the place of `reflect-metadata` in the Worker's bundle (`alias` in wrangler.toml and in src/launcher/bundle.ts): the part that
 * tsyringe, which the certificates of passkeys are read with, asks for. The whole polyfill is 4 KiB of every cold start.
 */
type Metadata = Map<unknown, unknown>;

const kept = new WeakMap<object, Metadata>();

function own(target: object): Metadata {
  const known = kept.get(target) ?? new Map<unknown, unknown>();
  kept.set(target, known);
  return known;
}

const getOwnMetadata = (key: unknown, target: object): unknown => kept.get(target)?.get(key);
const defineMetadata = (key: unknown, value: unknown, target: object): void => void own(target).set(key, value);

function getMetadata(key: unknown, target: object): unknown {
  for (let at: object | null = target; at !== null; at = Reflect.getPrototypeOf(at)) if (kept.get(at)?.has(key)) return getOwnMetadata(key, at);
  return undefined;
}

/** Of properties nothing is asked. */
const metadata = (key: unknown, value: unknown) => (target: object, property?: string | symbol): void => {
  if (property === undefined) defineMetadata(key, value, target);
};

Object.assign(Reflect, { getMetadata, getOwnMetadata, defineMetadata, metadata });
