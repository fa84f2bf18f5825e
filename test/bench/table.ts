/** Plain text columns: the first and the notes left-aligned, figures right-aligned. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => (row[column] ?? "").length)));
  const align = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 || headings[column] === "note" ? cell.padEnd(width) : cell.padStart(width);
  };
  const line = (cells: readonly string[]): string =>
    headings
      .map((_, column) => align(cells[column] ?? "", column))
      .join("  ")
      .trimEnd();
  return [line(headings), widths.map((width) => "─".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

const group = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const whole = (value: number | undefined): string => (value === undefined ? "–" : group.format(value));
export const millis = (value: number | undefined): string => (value === undefined ? "–" : value.toFixed(2));
