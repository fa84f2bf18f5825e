import { indexTerms } from "../../../domain/search/query-terms.ts";

/** The texts by which a memory is found. */
export interface TextFields {
  content: string;
  label: string;
  moment: string;
  /** Lent by the neighbours one place away in the thread, and by those two away. */
  near: string[];
  far: string[];
}

/**
 * Weights of the fields in twentieths, so that weighted frequencies are whole numbers. They follow the columns that did
 * best in the retrieval baselines: text 1, neighbours .3 and .15, speaker and date .3.
 */
const weights = { content: 20, label: 10, moment: 6, near: 6, far: 3 } as const;
export const unit = 20;

/** BM25F (Zaragoza et al. 2004) with one length for all fields; the values of the baseline that did best. */
export const k1 = 0.9;
export const b = 0.4;

/** Weighted frequencies of one term in one document: of its own text, and of what its neighbours lend. */
export interface Frequency {
  own: number;
  lent: number;
}

export interface TermBag {
  /** Packed frequencies by term. */
  terms: Map<string, number>;
  /** Weighted length in tokens. */
  length: number;
}

/** Packed into 16 bits: 10 for its own text, 6 for what is lent. A word said 50 times counts like one said 51 times. */
const lentBits = 6;
const maxLent = (1 << lentBits) - 1;
const maxOwn = (1 << (16 - lentBits)) - 1;

export const pack = ({ own, lent }: Frequency): number => (Math.min(own, maxOwn) << lentBits) | Math.min(lent, maxLent);
export const ownOf = (packed: number): number => packed >>> lentBits;
export const lentOf = (packed: number): number => packed & maxLent;

const maxLength = 0xff_ff;

export function bagOf(fields: TextFields): TermBag {
  const frequencies = new Map<string, Frequency>();
  let length = 0;
  const add = (text: string, weight: number, part: keyof Frequency): void => {
    const terms = indexTerms(text);
    length += (terms.length * weight) / unit;
    for (const term of terms) {
      const frequency = frequencies.get(term);
      if (frequency) frequency[part] += weight;
      else frequencies.set(term, part === "own" ? { own: weight, lent: 0 } : { own: 0, lent: weight });
    }
  };
  add(fields.content, weights.content, "own");
  add(fields.label, weights.label, "own");
  add(fields.moment, weights.moment, "own");
  for (const text of fields.near) add(text, weights.near, "lent");
  for (const text of fields.far) add(text, weights.far, "lent");
  const terms = new Map([...frequencies].map(([term, frequency]) => [term, pack(frequency)]));
  return { terms, length: Math.min(Math.ceil(length), maxLength) };
}

/** Robertson and Spärck Jones's inverse document frequency in the form that is never negative. */
export const idf = (documents: number, holding: number): number => Math.log(1 + (documents - holding + 0.5) / (holding + 0.5));
