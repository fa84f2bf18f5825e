import { encode } from "uqr";

/** A QR code as it is drawn: the dark runs of each row, as a path of lines one module thick. */
export interface QrCode {
  /** In modules, with the light border that readers need (ISO/IEC 18004). */
  size: number;
  path: string;
}

const border = 4;

export function qrCodeOf(text: string): QrCode {
  const { data } = encode(text, { ecc: "M", border });
  return { size: data.length, path: data.map(lineOf).join("") };
}

function lineOf(row: boolean[], y: number): string {
  const cells = row.map((isDark) => (isDark ? "x" : " ")).join("");
  let at: number | undefined;
  return [...cells.matchAll(/x+/g)]
    .map(({ index, 0: { length } }) => {
      const move = at === undefined ? `M${index} ${y}.5` : `m${index - at} 0`;
      at = index + length;
      return `${move}h${length}`;
    })
    .join("");
}

/** The picture as a document can carry it. */
export function qrDataUrl(text: string): string {
  const { size, path } = qrCodeOf(text);
  return `data:image/svg+xml;base64,${btoa(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`)}`;
}
