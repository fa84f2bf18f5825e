/** Cosine of two unit vectors of one space. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [even, odd] = [0, 0];
  for (let at = 0; at < a.length; at += 2) {
    even += (a[at] as number) * (b[at] as number);
    odd += (a[at + 1] ?? 0) * (b[at + 1] ?? 0);
  }
  return even + odd;
}
