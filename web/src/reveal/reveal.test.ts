import { describe, expect, test, vi } from "vitest";
import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { setLanguage } from "../lib/i18n.svelte";
import type { Narrator } from "../lib/narrator";
import { RULES, VERDICT, happened, setting, update, SCENARIOS } from "../testing/tableFrames";
import { callerWasRight, countBreakdown, headline } from "./callSummary";
import type { GameEvent, PublicMatch } from "../lib/protocol";
import { receive, renderScenario, useTablePage } from "../testing/tablePage";
import { keepSeen, pastCalls, seenSeq } from "./missedCalls";
import { OUTCOME_MS, revealScore } from "./revealAnimation.svelte";

describe("call summary", () => {
  const SPECTATOR: Narrator = { rules: RULES, names: ["Maren", "Tobias", "Ines", "Jun"], viewerSeat: null };
  const TOBIAS = { ...SPECTATOR, viewerSeat: 1 };
  const INES = { ...SPECTATOR, viewerSeat: 2 };
  const EXACT = { ...VERDICT, exact: true, right: false };

  function heading(verdict: typeof VERDICT, narrator: Narrator): string {
    return `${headline(verdict, narrator)}. ${callerWasRight(verdict, narrator)}`;
  }

  describe("in English", () => {
    test("a challenge, to a spectator, the caller and the bidder", () => {
      expect([SPECTATOR, TOBIAS, INES].map((narrator) => heading(VERDICT, narrator))).toEqual([
        "Tobias doubts Ines. Tobias was right.",
        "You doubt Ines. You were right.",
        "Tobias doubts you. Tobias was right.",
      ]);
    });

    test("an exact call, to a spectator and the caller", () => {
      expect([SPECTATOR, TOBIAS].map((narrator) => heading(EXACT, narrator))).toEqual([
        "Tobias: “Calza!”. Tobias was wrong.",
        "You: “Calza!”. You were wrong.",
      ]);
    });

    test("how the count came about", () => {
      expect(countBreakdown(VERDICT, SPECTATOR)).toBe("Five fours and two ones");
      const bonus = { ...VERDICT, reveal: { ...VERDICT.reveal, count: 8 } };
      expect(countBreakdown(bonus, SPECTATOR)).toBe("Five fours, two ones and one more for a bonus");
    });
  });

  describe("in Spanish", () => {
    test("a challenge and an exact call", async () => {
      await setLanguage("es");
      expect([SPECTATOR, TOBIAS, INES].map((narrator) => heading(VERDICT, narrator))).toEqual([
        "Tobias duda de Ines. Tobias tenía razón.",
        "Dudas de Ines. Tenías razón.",
        "Tobias duda de ti. Tobias tenía razón.",
      ]);
      expect(heading(EXACT, SPECTATOR)).toBe("Tobias: «¡Calza!». Tobias se equivocó.");
    });
  });
});

describe("missed calls", () => {
  const BID = { type: "bid" as const, quantity: 9, face: 4 };
  const CALL: GameEvent[] = [
    { type: "challenged", seat: 1, bidder: 2, bid: BID, out_of_turn: false },
    VERDICT.reveal,
    { type: "dice_lost", seat: 2, dice: 2, left: 3, cause: "bid_false", to: null },
    { type: "round_ended", number: 3, next_starter: 2, special_seat: null },
  ];
  const EXACT: GameEvent[] = [
    { type: "exact_called", seat: 0, bidder: 2, bid: { ...BID, quantity: 7 }, out_of_turn: true },
    { ...VERDICT.reveal, bid: { ...BID, quantity: 7 }, bid_true: true },
    { type: "dice_gained", seat: 0, dice: 1, left: 5, cause: "exact_right" },
  ];
  const FIRST_ROUND: GameEvent[] = [
    { type: "round_started", number: 1, starter: 0, dice: [5, 5], direction: "clockwise", special_seat: null },
  ];

  useTablePage();

  test("the calls in the news become verdicts like those of the server", () => {
    const calls = pastCalls([...happened(5, ...CALL), ...happened(9, ...EXACT)]);
    expect(calls.map(({ seq }) => seq)).toEqual([5, 9]);
    expect(calls[0]?.verdict).toEqual({ ...VERDICT, losses: [{ ...VERDICT.losses[0], type: "dice_lost" }] });
    expect(calls[1]?.verdict).toMatchObject({ exact: true, caller: 0, right: true, out_of_turn: true });
    expect(calls[1]?.verdict.gains).toMatchObject([{ seat: 0, dice: 1, left: 5 }]);
  });

  test("a call in a match for lives tells the lives that were lost and won back", () => {
    const lost: GameEvent = { type: "lives_lost", seat: 2, lives: 2, left: 1, cause: "bid_false", to: 1 };
    const won: GameEvent = { type: "lives_gained", seat: 0, lives: 1, left: 3, cause: "exact_right" };
    const [first, second] = pastCalls([
      ...happened(5, ...CALL.slice(0, 2), lost),
      ...happened(9, ...EXACT.slice(0, 2), won),
    ]);
    expect(first?.verdict.losses).toMatchObject([{ seat: 2, dice: 2, left: 1, to: 1 }]);
    expect(second?.verdict.gains).toMatchObject([{ seat: 0, dice: 1, left: 3, to: null }]);
  });

  test("the calls of the match before are left out", () => {
    expect(
      pastCalls([...happened(5, ...CALL), ...happened(7, ...FIRST_ROUND), ...happened(9, ...EXACT)]).map(
        ({ seq }) => seq,
      ),
    ).toEqual([9]);
  });

  test("the table that was seen last is known, of twelve tables", () => {
    expect(seenSeq("FLEA")).toBeNull();
    for (let table = 0; table < 12; table += 1) keepSeen(`T${table}`, table);
    keepSeen("FLEA", 40);
    keepSeen("FLEA", 41);
    expect([seenSeq("FLEA"), seenSeq("T0"), seenSeq("T1")]).toEqual([41, null, 1]);
  });

  test("who comes back sees the calls that they have missed, one after another, and then the table", async () => {
    const frame = update({}, {}, {}, 60);
    const missed = { ...frame, news: [...happened(30, ...CALL), ...happened(45, ...CALL), ...happened(52, ...EXACT)] };
    keepSeen("FLEA", 40);
    SCENARIOS.missed = [setting(), missed];
    await renderScenario("missed");
    expect(await screen.findByText("2 calls while you were away.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "See what happened" }));
    expect(await screen.findByText(/You was right|Tobias was right\./)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "The next call" }));
    expect(await screen.findByText(/You were right\./)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Back to the table" }));
    expect(await screen.findByRole("grid")).toBeTruthy();
    expect(screen.queryByText(/while you were away/)).toBeNull();
    expect(seenSeq("FLEA")).toBe(60);
  });

  test("what happens at a table that is open is not offered again, and a new call ends the look at old ones", async () => {
    keepSeen("FLEA", 40);
    SCENARIOS.missed = [setting(), { ...update({}, {}, {}, 60), news: happened(45, ...CALL) }];
    await renderScenario("missed");
    await userEvent.click(await screen.findByRole("button", { name: "See what happened" }));
    const now = { verdict: { ...VERDICT, caller: 3 }, turn: null, phase: "deal" } as Partial<PublicMatch>;
    await receive([{ ...update(now, {}, {}, 61), news: happened(61, ...CALL) }]);
    expect(screen.getByRole("heading", { name: /Jun/ })).toBeTruthy();
    await receive([{ ...update({ round_number: 5, turn_id: 40 }, {}, {}, 62), news: [] }]);
    expect(screen.queryByText(/while you were away/)).toBeNull();
  });

  test("missed calls are offered only after the reveal that is on, whose outcome they would tell", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    keepSeen("FLEA", 40);
    SCENARIOS.missed = [setting(), { ...update({}, {}, {}, 60), news: happened(45, ...CALL) }];
    await renderScenario("missed");
    expect(await screen.findByText("Somebody called while you were away.")).toBeTruthy();
    const now = { verdict: { ...VERDICT, caller: 3 }, turn: null, phase: "deal" } as Partial<PublicMatch>;
    await receive([{ ...update(now, {}, {}, 61), news: happened(61, ...CALL) }]);
    expect(screen.queryByRole("button", { name: "See what happened" })).toBeNull();
    await userEvent.click(screen.getByRole("region", { name: "The table" }));
    expect(await screen.findByRole("button", { name: "See what happened" })).toBeTruthy();
  });
});

test("a reveal takes less than six seconds, however many cups there are", () => {
  for (let cups = 1; cups <= 10; cups += 1) {
    const { doneMs, stampMs, lifts } = revealScore(cups, "normal");
    expect(doneMs + OUTCOME_MS).toBeLessThan(6000);
    expect(lifts).toEqual([...lifts].sort((a, b) => a - b));
    expect(lifts).toHaveLength(cups);
    expect(stampMs).toBeGreaterThan(lifts.at(-1) ?? 0);
  }
});

test("the last cup waits, except in quick reveals", () => {
  const [, second = 0, third = 0] = revealScore(3, "normal").lifts;
  expect(third - second).toBe(330 + 380);
  expect(revealScore(6, "quick").doneMs).toBeLessThan(0.6 * revealScore(6, "normal").doneMs);
});
