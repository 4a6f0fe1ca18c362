import { expect, test } from "vitest";
import { lineup, STRENGTHS } from "../setup/botLineup";
import { botDescription, botName, BOTS } from "./botLabels";

test("a champion with a temper has a name of its own", () => {
  expect(botName("champion")).toBe("Champion");
  expect(botName("champion:bold")).toBe("Bold champion");
  expect(botDescription("champion:suspicious")).toBe("plays like the champion, and doubts more");
  expect(botName("threshold:0.3")).toBe("Counter");
});

test("an unknown bot keeps the name that the server uses", () => {
  expect(botName("champion@11:bold")).toBe("champion@11:bold");
  expect(botDescription("champion@5")).toBe("");
});

test("every bot that can be chosen has a description", () => {
  const chosen = STRENGTHS.flatMap((strength) => lineup(strength, 4));
  for (const bot of [...BOTS, ...chosen]) expect(botDescription(bot)).not.toBe("");
  expect(new Set(lineup("tempers", 4)).size).toBe(4);
});
