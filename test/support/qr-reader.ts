import jsQR from "jsqr";

const scale = 4;

/** What a camera would read from the QR code that an SVG in `markup` draws: its path is painted in black on white, and the picture decoded. */
export function readQrCode(markup: string): string | undefined {
  const [, side] = /viewBox="0 0 (\d+) \1"/.exec(markup) ?? [];
  const [, path] = /<path stroke="#000" d="([^"]+)"/.exec(markup) ?? [];
  if (!side || !path) return undefined;
  const width = Number(side) * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, command, first, second] of path.matchAll(/([Mmh])(\d+)(?: ([\d.]+))?/g)) {
    if (command === "M") [x, y] = [Number(first), Math.floor(Number(second))];
    else if (command === "m") x += Number(first);
    else {
      paint(pixels, width, x, y, Number(first));
      x += Number(first);
    }
  }
  return jsQR(pixels, width, width)?.data;
}

function paint(pixels: Uint8ClampedArray, width: number, x: number, y: number, length: number): void {
  for (let row = y * scale; row < (y + 1) * scale; row += 1) {
    for (let column = x * scale; column < (x + length) * scale; column += 1) pixels.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
  }
}
