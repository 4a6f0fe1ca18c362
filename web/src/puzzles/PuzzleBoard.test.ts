import { render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { requireWords } from "../lib/i18n.svelte";
import { RULES } from "../testing/tableFrames";
import PuzzleBoard from "./PuzzleBoard.svelte";
import type { Puzzle } from "./puzzles";

const PUZZLE = { dice: [2, 3], seat: 0, hand: [1, 4], bids: [], names: [] } as unknown as Puzzle;

test.each([
  ["stars", "stars"],
  [null, undefined],
])("the dice know what the rules call their ones: %s", async (word, sign) => {
  await requireWords(["puzzles", "terms"]);
  const rules = { ...RULES, labels: { ...RULES.labels, special_face: word } };
  const { container } = render(PuzzleBoard, { puzzle: PUZZLE, rules });
  expect(container.querySelector<HTMLElement>(".felt")?.dataset.ones).toBe(sign);
});
