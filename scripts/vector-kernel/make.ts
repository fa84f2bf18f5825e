/**
 * Writes `src/platform/team-index/vectors/dot-kernel.wasm`: inner products of one query with many int8 vectors, 32 numbers a
 * step (WebAssembly SIMD, 128 bits). No WebAssembly compiler is among our dependencies, and the module is one function, so this
 * assembles it by hand: opcodes by the WebAssembly core specification 2.0, "Binary Format".
 *
 *   node scripts/vector-kernel/make.ts
 *
 * Imports `env.memory`. Exports `dots(codes, rows, width, query, out)`: for each of `rows` consecutive vectors of `width` int8
 * numbers at `codes` the inner product with the int16 numbers at `query`, as an int32 at `out`. `width` is a multiple of 32.
 * The caller scales the query so that no sum leaves the range of an int32.
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const target = fileURLToPath(new URL("../../src/platform/team-index/vectors/dot-kernel.wasm", import.meta.url));

type Bytes = number[];

/** Unsigned LEB128. */
const leb = (value: number): Bytes => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]);
const list = (items: Bytes[]): Bytes => [...leb(items.length), ...items.flat()];
const text = (value: string): Bytes => [...leb(value.length), ...new TextEncoder().encode(value)];
const section = (id: number, content: Bytes): Bytes => [id, ...leb(content.length), ...content];

const [i32, v128] = [0x7f, 0x7b];
const get = (local: number): Bytes => [0x20, ...leb(local)];
const set = (local: number): Bytes => [0x21, ...leb(local)];
/** Of a number from 0 to 8,191, in signed LEB128. */
const constant = (value: number): Bytes => [0x41, ...(value < 64 ? [value] : [(value & 0x7f) | 0x80, value >>> 7])];
const [add, subtract, isBelow] = [[0x6a], [0x6b], [0x49]];
const storeI32: Bytes = [0x36, 2, 0];
const loop = (body: Bytes): Bytes => [0x03, 0x40, ...body, 0x0b];
/** To the head of the innermost loop, if the value on the stack is not 0. */
const repeatIf: Bytes = [0x0d, 0];

const simd = (opcode: number, ...rest: Bytes): Bytes => [0xfd, ...leb(opcode), ...rest];
const load = (offset: number): Bytes => simd(0x00, 0, ...leb(offset));
const zeros = simd(0x0c, ...Array.from({ length: 16 }, () => 0));
const lane = (index: number): Bytes => simd(0x1b, index);
const [widenLow, widenHigh, dotPairs, addLanes] = [simd(0x87), simd(0x88), simd(0xba), simd(0xae)];

// Parameters, then locals.
const [codes, rows, width, query, out, end, position, low, high, block] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Sixteen codes, and their products with the query's numbers. */
const block16 = (at: number): Bytes => [
  ...get(codes), ...load(16 * at), ...set(block),
  ...get(low), ...get(block), ...widenLow, ...get(position), ...load(32 * at), ...dotPairs, ...addLanes, ...set(low),
  ...get(high), ...get(block), ...widenHigh, ...get(position), ...load(32 * at + 16), ...dotPairs, ...addLanes, ...set(high),
];
const step: Bytes = [
  ...block16(0), ...block16(1),
  ...get(position), ...constant(64), ...add, ...set(position),
  ...get(codes), ...constant(32), ...add, ...set(codes),
  ...get(codes), ...get(end), ...isBelow, ...repeatIf,
];
const row: Bytes = [
  ...zeros, ...set(low), ...zeros, ...set(high),
  ...get(query), ...set(position),
  ...get(codes), ...get(width), ...add, ...set(end),
  ...loop(step),
  ...get(low), ...get(high), ...addLanes, ...set(low),
  ...get(out),
  ...[0, 1, 2, 3].flatMap((index) => [...get(low), ...lane(index), ...(index === 0 ? [] : add)]),
  ...storeI32,
  ...get(out), ...constant(4), ...add, ...set(out),
  ...get(rows), ...constant(1), ...subtract, ...set(rows),
  ...get(rows), ...repeatIf,
];
const locals = list([[2, i32], [3, v128]]);
const body: Bytes = [...locals, ...loop(row), 0x0b];

const module: Bytes = [
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, list([[0x60, ...list([[i32], [i32], [i32], [i32], [i32]]), ...list([])]])),
  ...section(2, list([[...text("env"), ...text("memory"), 0x02, 0x00, 1]])),
  ...section(3, list([[0]])),
  ...section(7, list([[...text("dots"), 0x00, 0]])),
  ...section(10, list([[...leb(body.length), ...body]])),
];

const bytes = Uint8Array.from(module);
if (!WebAssembly.validate(bytes)) throw new Error("The module is not valid");
await writeFile(target, bytes);
console.log(`${target}: ${bytes.length} bytes`);
