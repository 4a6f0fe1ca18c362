import { expect, test } from "vitest";
import { least, neighbour, rowsOf } from "./bidRows";
import { above, setting } from "../testing/tableFrames";
import type { BidPair } from "../lib/gameTypes";

const { cells, faces } = setting();
const LEGAL = above([6, 4]);
const ROWS = rowsOf(cells, faces, LEGAL, [6, 4]);
const lit = ([quantity, face]: BidPair): boolean => LEGAL.some((bid) => bid[0] === quantity && bid[1] === face);

test("a bid stands where the table puts it, and what has no bid stays empty", () => {
  expect(ROWS.find((row) => row.row === 7)?.cells).toEqual([[7, 2], [7, 3], [7, 4], [7, 5], [7, 6], [4, 1]]); // prettier-ignore
  expect(ROWS.find((row) => row.row === 6)?.cells.at(-1)).toBeNull();
});

test("rows far above everything that may be said are left out", () => {
  expect(rowsOf(cells, faces, [[3, 2]], [2, 6]).at(-1)?.row).toBe(4);
});

test("arrows lead to the next lit bid", () => {
  expect(neighbour("ArrowUp", [6, 5], ROWS, lit)).toEqual([7, 5]);
  expect(neighbour("ArrowRight", [6, 5], ROWS, lit)).toEqual([6, 6]);
  expect(neighbour("ArrowLeft", [6, 5], ROWS, lit)).toBeNull();
  expect(neighbour("ArrowDown", [7, 2], ROWS, lit)).toBeNull();
  expect(neighbour("ArrowUp", [4, 1], ROWS, lit)).toEqual([5, 1]);
  expect(neighbour("a", [6, 5], ROWS, lit)).toBeUndefined();
});

test("the least bid of a face is the smallest that may be said", () => {
  expect([least(LEGAL, 4), least(LEGAL, 5), least(LEGAL, 1), least([], 2)]).toEqual([[7, 4], [6, 5], [4, 1], null]);
});
