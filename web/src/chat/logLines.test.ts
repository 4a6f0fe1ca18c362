import { expect, test } from "vitest";
import type { NewsItem } from "../lib/protocol";
import { PLAYERS, RULES, happened, said } from "../testing/tableFrames";
import { foldBids, logLines } from "./logLines";

const NEWS: NewsItem["content"][] = [
  { type: "said", player: 2, text: "hello" },
  { type: "notice", kind: "stand_in", player: 3, trigger: null, offence: "" },
  { type: "notice", kind: "accused", player: 3, trigger: "asks_dice_left", offence: "" },
  { type: "notice", kind: "took", player: 3, trigger: "asks_dice_left", offence: "" },
  { type: "happened", event: { type: "eliminated", seat: 0 } },
  { type: "happened", event: { type: "eliminated", seat: 1 } },
  { type: "happened", event: { type: "round_ended", number: 1, next_starter: 1, special_seat: null } },
];

test("the log has chat messages, notices and events, and addresses its reader", () => {
  const lines = logLines(
    NEWS.map((content, index) => ({ seq: index, at_ms: 0, content })),
    {
      narratorAt: () => ({ rules: RULES, names: PLAYERS.map((player) => player.name), viewerSeat: 1 }),
      playerName: (id) => PLAYERS.find((player) => player.id === id)?.name,
    },
  );
  expect(lines.map(({ player, text }) => [player, text])).toEqual([
    [2, "hello"],
    [null, "A bot plays for Ines."],
    [null, "Ines asked how many dice are left."],
    [null, "Maren is out."],
    [null, "You are out."],
  ]);
});

test("bids one after another are folded, and what is said between them is not", () => {
  const bid = (seq: number, seat: number): NewsItem[] =>
    happened(seq, { type: "bid_made", seat, bid: { type: "bid", quantity: 2 + seat, face: 3 } });
  const news = [...bid(0, 0), ...bid(1, 1), ...bid(2, 2), said(3, 2, "😂"), ...bid(4, 3)];
  const lines = logLines(news, {
    narratorAt: () => ({ rules: RULES, names: PLAYERS.map((player) => player.name), viewerSeat: null }),
    playerName: () => undefined,
    commentOn: (item) => (item.seq === 4 ? { player: 3, text: "Bold." } : null),
  });
  const shape = foldBids(lines).map((passage) =>
    "bids" in passage ? passage.bids.length : [passage.line.player, passage.line.emote ?? passage.line.text],
  );
  expect(shape).toEqual([3, [2, "laugh"], [null, "Jun bids five threes."], [3, "Bold."]]);
});

test("the start of a special round names it once", () => {
  const rules = { ...RULES, labels: { ...RULES.labels, special_round: "Mustache Round!" } };
  const news = [
    ...happened(0, { type: "round_ended", number: 8, next_starter: 1, special_seat: 1 }),
    ...happened(1, {
      type: "round_started",
      number: 9,
      starter: 1,
      dice: [2, 1],
      direction: "clockwise",
      special_seat: 1,
    }),
  ];
  const text = logLines(news, {
    narratorAt: () => ({ rules, names: ["Ann", "Ben"], viewerSeat: null }),
    playerName: () => undefined,
  }).map((line) => line.text);
  expect(text.join(" ").split("Mustache Round!")).toHaveLength(2);
});
