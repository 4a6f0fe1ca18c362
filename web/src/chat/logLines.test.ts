import { expect, test } from "vitest";
import type { NewsItem } from "../lib/protocol";
import { PLAYERS, RULES } from "../testing/tableFrames";
import { logLines } from "./logLines";

const NEWS: NewsItem["content"][] = [
  { type: "said", player: 2, text: "hello" },
  { type: "notice", kind: "stand_in", player: 3, trigger: null },
  { type: "notice", kind: "accused", player: 3, trigger: "asks_dice_left" },
  { type: "notice", kind: "took", player: 3, trigger: "asks_dice_left" },
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
