/** The same properties, any of which may also be there and undefined: what a caller hands on without looking. */
export type Undefinable<T> = { [K in keyof T]: T[K] | undefined };

/** Without the properties that are undefined: they say as little as those that are missing. */
export const defined = <T extends object>(properties: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
