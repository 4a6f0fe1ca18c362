import { expect, test } from "vitest";
import { firstBid, lowestBid, bidInDirection, bidRows, hasManyFaces, bidsIn, offeredBids, allowsPass } from "./bids";
import { bidsAbove, setting } from "../testing/tableFrames";
import type { BidPair, Ruleset } from "../lib/ruleset";
import type { PlayerView } from "../lib/protocol";
import { doubtAbout, likelihood } from "./challenge.svelte";
import { setLanguage } from "../lib/i18n.svelte";

const { cells, faces } = setting();
const LEGAL = bidsAbove([6, 4]);
const ROWS = bidRows(cells, faces, LEGAL, [6, 4]);
const isLegal = ([quantity, face]: BidPair): boolean => LEGAL.some((bid) => bid[0] === quantity && bid[1] === face);

test("the keyboard begins at the fewest dice of a face that the hand has, and not with a joker", () => {
  const legal: BidPair[] = [[2, 6], [1, 1], [1, 3], [1, 5]]; // prettier-ignore
  expect(firstBid(legal, [5, 5, 1, 1, 1], 1)).toEqual([1, 5]);
  expect(firstBid(legal, [5, 5, 1, 1, 1], null)).toEqual([1, 1]);
  expect(firstBid([[1, 1]], [], 1)).toEqual([1, 1]);
  expect(firstBid([], [], 1)).toBeNull();
});

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

function rules(bidding: Partial<Ruleset["bidding"]>): Ruleset {
  return { bidding, dice: { per_player: 5, faces: 6, special_face: 1 } } as Ruleset;
}

test("five alike, five different and a full house allow a pass, as they lie", () => {
  const all = rules({ pass_with: ["alike", "all_different", "full_house"] });
  for (const hand of [
    [4, 4, 4, 4, 4],
    [6, 2, 3, 4, 5],
    [2, 5, 2, 5, 2],
    [1, 1, 6, 6, 6],
  ])
    expect(allowsPass(all, hand)).toBe(true);
  for (const hand of [[4, 4, 4, 4, 1], [6, 2, 3, 4, 4], [2, 2, 2, 2, 5], [3, 3, 3, 3], []])
    expect(allowsPass(all, hand)).toBe(false);
});

test("rules may ask for fewer dice, and for one kind of hand alone", () => {
  const alike = rules({ pass_with: ["alike"], pass_dice: 2 });
  expect(allowsPass(alike, [3, 3])).toBe(true);
  expect(allowsPass(alike, [3])).toBe(false);
  expect(allowsPass(alike, [2, 2, 2, 5, 5])).toBe(false);
  expect(allowsPass(rules({}), [3, 3, 3, 3, 3])).toBe(false);
});

test("a challenge is confirmed where hints are on or in a first match, if the bid is proven or nearly certain", () => {
  expect(doubtAbout({ counts: [0, 1], standing_odds: null }, [2, 5], true)).toBe("proven");
  expect(doubtAbout({ counts: [0, 1], standing_odds: 40 }, [3, 5], true)).toBeNull();
  expect(doubtAbout({ counts: [0, 1], standing_odds: 95 }, [3, 5], true)).toBe("likely");
  expect(doubtAbout({ counts: [0, 1], standing_odds: 100 }, [2, 5], false)).toBeNull();
  expect(doubtAbout({ counts: [], standing_odds: null }, undefined, true)).toBeNull();
});

test("only what is certain is called certain, and only what is impossible is called impossible", async () => {
  expect([0, 1, 99, 100].map(likelihood)).toEqual([
    "Impossible, judging by your own dice",
    "≤1% likely, judging by your own dice",
    "99% likely, judging by your own dice",
    "Certain: you hold it yourself",
  ]);
  await setLanguage("es");
  expect(likelihood(100)).toBe("Segura: la tienes tú");
});
