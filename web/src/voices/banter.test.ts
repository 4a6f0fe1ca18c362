import { expect, test } from "vitest";
import type { NewsItem, PublicPlayer } from "../lib/protocol";
import { MATCH, OWN, VERDICT, happened, update } from "../testing/tableFrames";
import { TableStore } from "../table/tableStore.svelte";
import { BoardState } from "../board/boardState.svelte";
import { botLine, OCCASIONS, occasionOf, TEMPERS, commentOn } from "./banter";

const BOTS: PublicPlayer[] = ["champion", "champion:bold", "champion:cautious", "novice", "inference", "random"].map(
  (bot, seat) => ({ id: seat + 1, name: bot, bot }),
);
const bid = (seq: number, seat: number, quantity: number, face: number): NewsItem[] =>
  happened(seq, { type: "bid_made", seat, bid: { type: "bid", quantity, face } });

test("bots comment on about one of five moves, and every temper has a line for every occasion", () => {
  const said = Array.from({ length: 3000 }, (_, seq) => botLine("champion:bold", "raise", `FLEA/${seq}/1`));
  const share = said.filter((line) => line !== null).length / said.length;
  expect(share).toBeGreaterThan(0.17);
  expect(share).toBeLessThan(0.23);
  expect(new Set(said).size).toBeGreaterThan(3); // no text and several lines
  for (const bot of ["champion", "champion:cautious", "champion:bold", "champion:trusting", "champion:suspicious"])
    for (const occasion of OCCASIONS) {
      const lines = Array.from({ length: 99 }, (_, seq) => botLine(bot, occasion, String(seq)));
      expect(lines.some((line) => line !== null && line !== "" && !line.startsWith("banter"))).toBe(true);
    }
  expect(TEMPERS).toHaveLength(5);
});

test("what a bot says does not depend on hidden dice, whoever looks at the table", () => {
  const indices = [...Array(60).keys()];
  const news = indices.flatMap((index) => bid(100 + index, index % 6, 1 + index, 2 + (index % 5)));
  const hands = [[1, 1, 1, 1, 1], [6, 5, 4, 3, 2], []];
  const heard = hands.map((hand, index) => {
    const table = new TableStore("FLEA");
    const board = new BoardState(table);
    board.talk.commentator = (item, earlier) => commentOn(item, earlier, table.code, table.players, table.rules);
    const own = {
      ...OWN,
      hand,
      counts: hand.map((_, place) => place).slice(0, index),
      odds: [],
      standing_odds: 10 * index,
    };
    for (const end of [1, 20, 60])
      table.receive({ ...update({ ...MATCH, bids: [] }, own, { players: BOTS }, 99 + end), news: news.slice(0, end) });
    return table.news.map((item) => board.talk.commentOn(item, table.news));
  });
  expect(heard[0]?.filter((comment) => comment !== null).length).toBeGreaterThan(4);
  expect(heard[1]).toEqual(heard[0]);
  expect(heard[2]).toEqual(heard[0]);
});

test("a bot speaks about an outcome only, never before the cups are up", () => {
  const before = { seat: 2, bid: [4, 3] as [number, number] };
  const { reveal } = VERDICT;
  expect(occasionOf({ event: { ...reveal, type: "revealed", bid_true: true }, before, caller: 0 })).toEqual({
    seat: 2,
    occasion: "right",
  });
  expect(occasionOf({ event: { ...reveal, type: "revealed", bid_true: false }, before, caller: 0 })?.seat).toBe(0);
  expect(
    occasionOf({
      event: { type: "challenged", seat: 0, bidder: 2, bid: reveal.bid, out_of_turn: false },
      before,
      caller: 0,
    }),
  ).toBeNull();
});

test("people and players who have left say nothing by themselves", () => {
  const spoken = (player: PublicPlayer): boolean =>
    [...Array(60).keys()]
      .flatMap((seq) => bid(seq, 0, 1, 2))
      .some((item) => commentOn(item, [], "FLEA", [player], undefined));
  expect(spoken({ id: 1, name: "Bot", bot: "novice" })).toBe(true);
  expect(spoken({ id: 1, name: "Ann" })).toBe(false);
  expect(spoken({ id: 1, name: "Bot", bot: "novice", gone: true })).toBe(false);
});
