/** Stands where a secret stood, before its kind. */
export const maskMark = "[masked:";

/** The marks of a text, each with its kind. */
export const masks = /\[masked: [A-Za-z' -]+\]/g;

/** What differs between two such texts may be what is not there. */
export const isMasked = (text: string): boolean => text.includes(maskMark);
