/** One field of a document, such as its title. */
export interface TextField {
  /** What a word of this field counts for, beside a word of the others; a multiple of 1 / `resolution`. */
  weight: number;
  /** What a word of this field adds to the document's length; its weight, if not said otherwise. */
  lengthWeight?: number;
  /** The text belongs to something beside the document. A search can leave it out, and its hits tell it apart. */
  context?: boolean;
  /** Its words count where no other text of the document itself says them, once, and add nothing to the length. */
  spare?: boolean;
}

/** How a text becomes terms, and how much each field counts. */
export interface TextAnalysis<Field extends string> {
  fields: Readonly<Record<Field, TextField>>;
  /** Weighted frequencies are kept as whole numbers of 1 / `resolution`. */
  resolution: number;
  /** The terms of a text, repeats included. A term holds no line feed. */
  tokenize(text: string): readonly string[];
}

/** The terms of a document with their weighted frequencies. */
export interface TermBag {
  /** Packed frequencies by term. */
  terms: Map<string, number>;
  /** Weighted length in tokens. */
  length: number;
}

export type FieldTexts<Field extends string> = { readonly [F in Field]?: string | readonly string[] };

/** Packed into 16 bits: 10 for its own text, 6 for its context. A word said 50 times counts like one said 51 times. */
const contextBits = 6;
const maxContext = (1 << contextBits) - 1;
const maxOwn = (1 << (16 - contextBits)) - 1;

export const ownFrequencyOf = (packed: number): number => packed >>> contextBits;
export const contextFrequencyOf = (packed: number): number => packed & maxContext;

const maxLength = 0xff_ff;

/** Weights in units of 1 / `resolution`. */
interface WeightedField<Field> {
  name: Field;
  weight: number;
  lengthWeight: number;
}

/** Makes term bags of documents, as one configuration says. */
export class Analyzer<Field extends string> {
  readonly #own: WeightedField<Field>[];
  readonly #spare: WeightedField<Field>[];
  readonly #context: WeightedField<Field>[];
  readonly #analysis: TextAnalysis<Field>;

  constructor(analysis: TextAnalysis<Field>) {
    this.#analysis = analysis;
    const weighted = (isMeant: (field: TextField) => boolean): WeightedField<Field>[] =>
      (Object.entries(analysis.fields) as [Field, TextField][])
        .filter(([, field]) => isMeant(field))
        .map(([name, { weight, lengthWeight = weight }]) => ({
          name, weight: Math.round(weight * analysis.resolution), lengthWeight: Math.round(lengthWeight * analysis.resolution),
        }));
    this.#own = weighted(({ context, spare }) => !context && !spare);
    this.#spare = weighted(({ spare }) => spare === true);
    this.#context = weighted(({ context }) => context === true);
  }

  bagOf(texts: FieldTexts<Field>): TermBag {
    const terms = new Map<string, number>();
    const ownLength = this.#add(this.#own, texts, (term, weight) => void terms.set(term, (terms.get(term) ?? 0) + weight));
    this.#add(this.#spare, texts, (term, weight) => void (terms.has(term) || terms.set(term, weight)));
    for (const [term, frequency] of terms) terms.set(term, Math.min(frequency, maxOwn) << contextBits);
    const contextLength = this.#add(this.#context, texts, (term, weight) => {
      const packed = terms.get(term) ?? 0;
      const context = contextFrequencyOf(packed);
      terms.set(term, packed - context + Math.min(context + weight, maxContext));
    });
    return { terms, length: Math.min(Math.ceil((ownLength + contextLength) / this.#analysis.resolution), maxLength) };
  }

  /** Answers the weighted length of what was added. */
  #add(fields: WeightedField<Field>[], texts: FieldTexts<Field>, add: (term: string, weight: number) => void): number {
    let length = 0;
    for (const { name, weight, lengthWeight } of fields) {
      const given = texts[name] ?? [];
      for (const text of typeof given === "string" ? [given] : given) {
        const terms = this.#analysis.tokenize(text);
        length += terms.length * lengthWeight;
        for (const term of terms) add(term, weight);
      }
    }
    return length;
  }
}
