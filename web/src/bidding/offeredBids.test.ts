import { expect, test } from "vitest";
import { bidsIn, offeredBids } from "./bids";
import type { PlayerView } from "../lib/protocol";

const OWN = {
  bids: [
    [4, 5, 2, false],
    [3, 3, 1, false],
    [3, 4, 5, true],
  ],
  odds: [20, 70, 50, 60, 10],
} as unknown as PlayerView;

test("ranges hold every bid, lowest quantity first, and bids of one quantity in the order of the ranges", () => {
  expect(bidsIn(OWN.bids)).toEqual([[3, 1, false], [3, 5, true], [4, 2, false], [4, 5, true], [5, 2, false]]); // prettier-ignore
});

test("as zhai the chart offers pure bids and those on the special face", () => {
  expect(offeredBids(OWN, false, 1)).toEqual({ bids: [[3, 1], [4, 2], [5, 2]], odds: [20, 50, 10] }); // prettier-ignore
  expect(offeredBids(OWN, true, 1)).toEqual({ bids: [[3, 1], [3, 5], [4, 5]], odds: [20, 70, 60] }); // prettier-ignore
});

test("rules without pure bids offer none as zhai", () => {
  const own = { bids: [[2, 2, 2, false]], odds: [] } as unknown as PlayerView;
  expect(offeredBids(own, true, 1)).toEqual({ bids: [], odds: [] });
});
