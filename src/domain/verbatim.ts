/**
 * `String.raw` under another name: the bundler writes what is not ASCII as escapes of six characters, and does so with `String.raw`
 * too, but not within a template whose tag it does not know. For long lists of words in other alphabets.
 */
export const verbatim = String.raw;
