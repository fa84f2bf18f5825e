import type { VectorClass, VectorTables } from "./vector-tables.ts";

/** What filters tell apart of a vector, and what its id says beside the UUID, as one number, so that a scan compares a number. */
export class VectorClasses {
  readonly #tables: VectorTables;
  /** By number; 0 is that of free slots. */
  #classes: VectorClass[] = [];
  #families: number[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #familyNumbers = new Map<string, number>();

  constructor(tables: VectorTables) {
    this.#tables = tables;
    this.read();
  }

  /** Reads the table anew. */
  read(): void {
    this.#classes = [{ kind: "", audience: "", teamId: "", shard: "", digest: "" }];
    this.#families = [0];
    this.#numbers.clear();
    this.#familyNumbers.clear();
    for (const { class: classNumber, ...fields } of this.#tables.classes()) this.#learn(classNumber, fields);
  }

  at(classNumber: number): VectorClass {
    return this.#classes[classNumber] as VectorClass;
  }

  numberOf(fields: VectorClass): number {
    const known = this.#numbers.get(classKey(fields));
    if (known !== undefined) return known;
    const added = this.#tables.addClass(fields);
    this.#learn(added, fields);
    return added;
  }

  /** For each class 1 + its kind's place among the kinds, or 0 when it does not pass. */
  groups(kinds: readonly string[], passes: (fields: VectorClass) => boolean): Uint8Array {
    return Uint8Array.from(this.#classes, (fields, classNumber) => (classNumber > 0 && passes(fields) ? 1 + kinds.indexOf(fields.kind) : 0));
  }

  /** Within a family an id names one vector, whoever may see it. */
  familyOf(classNumber: number): number {
    return this.#families[classNumber] as number;
  }

  /** `digest`: of the team that the vector's id names. */
  familyNamed(kind: string, digest: string): number | undefined {
    return this.#familyNumbers.get(familyKey({ kind, digest }));
  }

  /** Families of the team's memories. */
  memoryFamilies(teamId: string): number[] {
    const found = this.#classes.flatMap((fields, classNumber) =>
      fields.kind === "memory" && fields.teamId === teamId ? [this.#families[classNumber] as number] : []);
    return [...new Set(found)];
  }

  #learn(classNumber: number, fields: VectorClass): void {
    const family = this.#familyNumbers.get(familyKey(fields)) ?? this.#familyNumbers.size + 1;
    this.#familyNumbers.set(familyKey(fields), family);
    this.#numbers.set(classKey(fields), classNumber);
    this.#classes[classNumber] = fields;
    this.#families[classNumber] = family;
  }
}

const classKey = ({ kind, audience, teamId, shard, digest }: VectorClass): string => [kind, audience, teamId, shard, digest].join("\n");
const familyKey = ({ kind, digest }: Pick<VectorClass, "kind" | "digest">): string => `${kind}\n${digest}`;
