import { describe, expect, it, test } from "vitest";
import { render } from "@testing-library/svelte";
import type { Ruleset } from "../lib/ruleset";
import { setLanguage } from "../lib/i18n.svelte";
import type { OfferedMove, Puzzle } from "../lib/protocol";
import {
  choicesOf,
  dailyNumber,
  parsePuzzles,
  loadScores,
  saveScores,
  streak,
  themeScore,
  withAnswer,
  missedWords,
  playerRating,
  points,
  pointsBehind,
  puzzleRating,
  ratingWords,
  reason,
  roundNotes,
  rulesTitle,
  seatName,
  seatsInOrder,
} from "./puzzles";
import { RULES } from "../testing/tableFrames";
import PuzzleBoard from "./PuzzleBoard.svelte";

describe("puzzles", () => {
  const RULES = {
    labels: { game: "Perudo", challenge: "Dudo!", exact: "Calza!", special_round: "Palifico!", special_face: null },
    dice: { special_face: 1, faces: 6, per_player: 5 },
    wilds: { special_is_wild: true, suspended_by: [], needs_natural: false },
    loss: { lives: null },
  } as unknown as Ruleset;

  const PUZZLE: Puzzle = {
    rules: "perudo",
    seed: 1,
    match: 2,
    decision: 3,
    theme: "challenge",
    certificate: "playouts",
    deals: 600,
    missed: [5, 7],
    dice: [2, 0, 3, 1],
    seat: 2,
    hand: [4, 1, 4],
    bids: [[0, { type: "bid", quantity: 4, face: 4 }]],
    wilds_count: true,
    special_seat: null,
    moves: [
      { move: { type: "challenge" }, value: 0.6, behind: 0, error: 0, p_right: 0.8 },
      { move: { type: "bid", quantity: 5, face: 4 }, value: 0.5, behind: 0.1, error: 0.01, p_right: 0.004 },
      { move: { type: "exact" }, value: 0.4, behind: 0.2, error: 0.01, p_right: 0.2 },
    ],
    counts: [{ seat: 0, before: [0.4, 0.5, 0.1], after: [0.2, 0.6, 0.2] }],
    reason: {
      other: 1,
      tied: false,
      reason: {
        seat: 2,
        bids: [],
        less_room: false,
        challenge: true,
        exact: false,
        p_loses: [0.8, 0.2],
        p_gains: null,
        rival: null,
      },
    },
  };
  const DAY = new Date(2026, 2, 1);

  describe("the file", () => {
    it("has the rules in its first line and a puzzle in each other one", () => {
      const text = `${JSON.stringify({ rules: { perudo: RULES } })}\n${JSON.stringify(PUZZLE)}\n`;
      expect(parsePuzzles(text)).toEqual({ rules: { perudo: RULES }, puzzles: [PUZZLE] });
    });

    it("gives every date a puzzle, the same one as the terminal", () => {
      expect(dailyNumber(new Date(2026, 0, 1, 23), 500)).toBe(0);
      expect(dailyNumber(new Date(2027, 4, 17), 500)).toBe(1);
      expect(dailyNumber(new Date(2025, 11, 31), 500)).toBe(499);
    });

    it("offers calls before bids", () => {
      expect(choicesOf(PUZZLE).map(({ move }) => move.type)).toEqual(["challenge", "exact", "bid"]);
    });
  });

  describe("scores", () => {
    it("count the first try only and days in a row", () => {
      let scores = loadScores();
      for (const day of [26, 27, 28]) scores = withAnswer(scores, PUZZLE, true, new Date(2026, 1, day));
      expect(streak(scores, DAY)).toBe(3);
      expect(streak(scores, new Date(2026, 2, 2))).toBe(0);
      scores = withAnswer(scores, PUZZLE, false, DAY);
      expect(streak(scores, DAY)).toBe(0);
      expect(scores.best).toBe(3);
      expect(themeScore(scores, [PUZZLE], "challenge")).toEqual([1, 1]);
      saveScores(scores);
      expect(loadScores()).toEqual(scores);
    });

    it("rate the player by first tries, harder puzzles more", async () => {
      const easy: Puzzle = { ...PUZZLE, match: 1, missed: [0, 7] };
      const hard: Puzzle = { ...PUZZLE, match: 2, missed: [7, 7] };
      expect([puzzleRating(easy), puzzleRating(hard)]).toEqual([1200, 1800]);
      const rated = (...answers: [Puzzle, boolean][]) => {
        const scores = answers.reduce(
          (before, [puzzle, right]) => withAnswer(before, puzzle, right, null),
          loadScores(),
        );
        saveScores(scores);
        const rating = playerRating(loadScores(), [easy, hard]);
        localStorage.clear();
        return rating ?? { rating: 0, error: 0 };
      };
      expect(playerRating(loadScores(), [easy, hard])).toBeNull();
      expect(rated([PUZZLE, true]).rating).toBe(rated([hard, true]).rating); // by its key
      expect(rated([hard, true]).rating).toBeGreaterThan(rated([easy, true]).rating);
      expect(rated([easy, true]).rating).toBeGreaterThan(1500);
      expect(rated([hard, false]).rating).toBeGreaterThan(rated([easy, false]).rating);
      const both = rated([easy, true], [hard, false]);
      expect(both.error).toBeLessThan(rated([easy, true]).error);
      expect(rated([easy, true], [hard, false], [easy, false])).toEqual(both);
      expect(ratingWords(null, both)).toMatch(/^Your rating: 1,\d{3} \([+−]\d+\)\.$/);
      await setLanguage("es");
      expect(ratingWords(both, { ...both, rating: both.rating - 20 })).toMatch(/^Tu puntuación: \d+ \(−20\)\.$/);
    });

    it("begin anew if what the browser kept cannot be read", () => {
      localStorage.setItem("liarsdice.puzzles", "{");
      expect(loadScores()).toEqual({ days: {}, tries: {}, best: 0 });
    });
  });

  describe("words", () => {
    it("name the others from the left of the player round, without those who are out", () => {
      expect(seatsInOrder(PUZZLE).map((seat) => seatName(PUZZLE, seat))).toEqual(["Ann", "Bo", "You"]);
    });

    it("tell the difference of the figures that are shown, with halves up as in the terminal", () => {
      const [best, other] = [{ value: 0.3766 }, { value: 0.2215 }] as [OfferedMove, OfferedMove];
      expect([best, other].map((move) => points(move.value))).toEqual(["37.7", "22.2"]);
      expect(pointsBehind({ moves: [best, other] } as Puzzle, other)).toBe("15.5");
    });

    it("name a rule sheet by its game and its variations, in both languages", async () => {
      expect(rulesTitle("perudo", RULES)).toBe("Perudo");
      expect(rulesTitle("perudo+reversa", RULES)).toBe("Perudo: Change of direction (reversa)");
      expect(rulesTitle("perudo+reversa+lives", RULES)).toBe(
        "Perudo: Change of direction (reversa), Three lives instead of dice",
      );
      await setLanguage("es");
      expect(rulesTitle("perudo+reversa+lives", RULES)).toContain("(reversa), ");
    });

    it("say how many bots miss a puzzle, in both languages", async () => {
      expect(missedWords(PUZZLE)).toBe("Difficulty: missed by 5 of 7 bots.");
      await setLanguage("es");
      expect(missedWords(PUZZLE)).toBe("Dificultad: sin resolver para 5 de 7 bots.");
    });

    it("say that a round is a special one, and what that changes", () => {
      const special = { ...RULES, special_round: { face_locked: true } } as unknown as Ruleset;
      expect(roundNotes(special, PUZZLE)).toEqual(["Ones are wild."]);
      expect(roundNotes(special, { ...PUZZLE, special_seat: 3, wilds_count: false })).toEqual([
        "Palifico!",
        "The face is fixed in this round.",
        "Ones are not wild.",
      ]);
    });

    it("say why the best move is better than another one", () => {
      expect(reason(RULES, PUZZLE)).toBe(
        "Why “Dudo!” rather than five fours: Before the round ends, you lose dice 80 times in 100 after the worse move and 20 times in 100 after the better one.",
      );
      expect(reason(RULES, { ...PUZZLE, reason: null })).toBe("");
    });
  });
});

describe("puzzle board", () => {
  const PUZZLE = { dice: [2, 3], seat: 0, hand: [1, 4], bids: [], names: [] } as unknown as Puzzle;

  test.each([
    ["stars", "stars"],
    [null, undefined],
  ])("the dice know what the rules call their ones: %s", (word, sign) => {
    const rules = { ...RULES, labels: { ...RULES.labels, special_face: word } };
    const { container } = render(PuzzleBoard, { puzzle: PUZZLE, rules });
    expect(container.querySelector<HTMLElement>(".felt")?.dataset.ones).toBe(sign);
  });
});
