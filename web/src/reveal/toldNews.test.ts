import { expect, test } from "vitest";
import type { NewsItem } from "../lib/protocol";
import { VERDICT } from "../testing/tableFrames";
import { toldNews } from "../board/boardState.svelte";

const BID = { type: "bid" as const, quantity: 9, face: 4 };
const happened = (seq: number, event: Extract<NewsItem["content"], { type: "happened" }>["event"]): NewsItem => ({
  seq,
  at_ms: 0,
  content: { type: "happened", event },
});
const OLD_LOSS = happened(7, { type: "dice_lost", seat: 1, dice: 1, left: 4, cause: "bid_false", to: null });
const CALL = happened(9, { type: "challenged", seat: 1, bidder: 2, bid: BID, out_of_turn: false });
const COUNT = happened(9, VERDICT.reveal);
const LOSS = happened(9, { type: "dice_lost", seat: 2, dice: 2, left: 0, cause: "bid_false", to: null });
const OUT = happened(9, { type: "eliminated", seat: 2 });
const TALK: NewsItem = { seq: 10, at_ms: 0, content: { type: "said", player: 3, text: "oh no" } };
const NEWS = [OLD_LOSS, CALL, COUNT, LOSS, OUT, TALK];

test("the call is told at once, the count after the last cup, and the outcome at the end", () => {
  expect(toldNews(NEWS, "called")).toEqual([OLD_LOSS, CALL, TALK]);
  expect(toldNews(NEWS, "counted")).toEqual([OLD_LOSS, CALL, COUNT, TALK]);
  expect(toldNews(NEWS, "told")).toEqual(NEWS);
});

test("without a call, all news is told", () => {
  expect(toldNews([OLD_LOSS, TALK], "called")).toEqual([OLD_LOSS, TALK]);
});
