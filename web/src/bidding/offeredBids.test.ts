import { expect, test } from "vitest";
import { offeredBids } from "./offeredBids";
import type { PlayerView } from "../lib/protocol";

const OWN = {
  bids: [
    [4, 2],
    [3, 1],
  ],
  odds: [50, 20],
  pure_bids: [[3, 5]],
  pure_odds: [70],
} as unknown as PlayerView;

test("as zhai the chart offers pure bids and those on the special face", () => {
  expect(offeredBids(OWN, false, 1)).toEqual({ bids: OWN.bids, odds: OWN.odds });
  expect(offeredBids(OWN, true, 1)).toEqual({
    bids: [
      [3, 5],
      [3, 1],
    ],
    odds: [70, 20],
  });
});

test("rules without pure bids offer none as zhai", () => {
  const own = { bids: [[2, 2]], odds: [] } as unknown as PlayerView;
  expect(offeredBids(own, true, 1)).toEqual({ bids: [], odds: [] });
});
