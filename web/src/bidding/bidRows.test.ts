import { expect, test } from "vitest";
import { lowestBid, bidInDirection, bidRows, hasManyFaces } from "./bids";
import { bidsAbove, setting } from "../testing/tableFrames";
import type { BidPair } from "../lib/ruleset";

const { cells, faces } = setting();
const LEGAL = bidsAbove([6, 4]);
const ROWS = bidRows(cells, faces, LEGAL, [6, 4]);
const isLegal = ([quantity, face]: BidPair): boolean => LEGAL.some((bid) => bid[0] === quantity && bid[1] === face);

test("each bid is in the cell that the server sent, and other cells are empty", () => {
  expect(ROWS.find((row) => row.row === 7)?.cells).toEqual([[7, 2], [7, 3], [7, 4], [7, 5], [7, 6], [4, 1]]); // prettier-ignore
  expect(ROWS.find((row) => row.row === 6)?.cells.at(-1)).toBeNull();
});

test("rows far above the highest legal bid are left out", () => {
  expect(bidRows(cells, faces, [[3, 2]], [2, 6]).at(-1)?.row).toBe(4);
});

test("arrow keys move to the next legal bid", () => {
  expect(bidInDirection("ArrowUp", [6, 5], ROWS, isLegal)).toEqual([7, 5]);
  expect(bidInDirection("ArrowRight", [6, 5], ROWS, isLegal)).toEqual([6, 6]);
  expect(bidInDirection("ArrowLeft", [6, 5], ROWS, isLegal)).toBeNull();
  expect(bidInDirection("ArrowDown", [7, 2], ROWS, isLegal)).toBeNull();
  expect(bidInDirection("ArrowUp", [4, 1], ROWS, isLegal)).toEqual([5, 1]);
  expect(bidInDirection("a", [6, 5], ROWS, isLegal)).toBeUndefined();
});

test("the lowest bid of a face is its smallest legal quantity", () => {
  expect([lowestBid(LEGAL, 4), lowestBid(LEGAL, 5), lowestBid(LEGAL, 1), lowestBid([], 2)]).toEqual([
    [7, 4],
    [6, 5],
    [4, 1],
    null,
  ]);
});

test("a chart with more than eight faces has no room for all of them side by side", () => {
  const faces = Array.from({ length: 9 }, (_, index) => index + 1);
  expect(hasManyFaces(faces.slice(1))).toBe(false);
  expect(hasManyFaces(faces)).toBe(true);
});
