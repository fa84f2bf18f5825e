/** Columns of consecutive vectors, as a pack stores them. */
export interface SlotColumns {
  count: number;
  ids: ArrayBuffer;
  seqs: ArrayBuffer;
  classes: ArrayBuffer;
  versions: ArrayBuffer;
  times: ArrayBuffer;
  scales: ArrayBuffer;
  codes: ArrayBuffer;
}

type ColumnName = Exclude<keyof SlotColumns, "count">;

/** Several packs as one, without the vectors whose row is gone. */
export function joined(packs: readonly SlotColumns[], isGone: (seq: number) => boolean): SlotColumns {
  const kept = packs.map((pack) => [...new Uint32Array(pack.seqs)].flatMap((seq, at) => (isGone(seq) ? [] : [at])));
  const count = kept.reduce((sum, each) => sum + each.length, 0);
  const column = (name: ColumnName): ArrayBuffer => {
    const parts = packs.flatMap((pack, i) => {
      const bytes = new Uint8Array(pack[name]);
      const width = bytes.length / pack.count;
      return (kept[i] as number[]).map((at) => bytes.subarray(at * width, (at + 1) * width));
    });
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole.buffer;
  };
  return {
    count, ids: column("ids"), seqs: column("seqs"), classes: column("classes"), versions: column("versions"), times: column("times"), scales: column("scales"), codes: column("codes"),
  };
}

/** Packs that fit into one together, in order. */
export function groupsOf<T extends { count: number; gone: number }>(packs: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const pack of packs) {
    const live = pack.count - pack.gone;
    if (live > room || groups.length === 0) {
      groups.push([]);
      room = size;
    }
    room -= live;
    groups.at(-1)?.push(pack);
  }
  return groups;
}
