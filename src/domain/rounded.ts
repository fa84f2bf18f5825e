/** To so many decimal places. */
export const rounded = (value: number, places = 3): number => Math.round(value * 10 ** places) / 10 ** places;
