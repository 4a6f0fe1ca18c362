/** The colour of each seat, for words and lines on dark ground. A name always stands beside it. */
const COLORS = [
  "#dcbcec", "#9fd0f2", "#ffb596", "#c3e6a0", "#ffdc8c", "#f5b1cc", "#ccd8de", "#f0ae80", "#a8e2d6", "#e3d3a8",
]; // prettier-ignore

/** The colour of a seat. */
export function seatColor(seat: number): string {
  return COLORS[seat % COLORS.length] ?? "#ffffff";
}
