import { describe, expect, test } from "vitest";
import { setLanguage } from "../lib/i18n.svelte";
import { RULES, VERDICT } from "../testing/tableFrames";
import type { Verdict } from "../lib/gameTypes";
import { outcome, headline, callerWasRight, countBreakdown, type SummaryContext } from "./callSummary";

const CONTEXT: SummaryContext = {
  rules: RULES,
  names: ["Maren", "Tobias", "Ines", "Jun"],
  viewerSeat: null,
  stakesFactor: 2,
};

function summary(change: Partial<Verdict>, context: Partial<SummaryContext> = {}): string {
  const verdict = { ...VERDICT, ...change };
  const all = { ...CONTEXT, ...context };
  return `${headline(verdict, all)}. ${callerWasRight(verdict, all)} ${outcome(verdict, all)}`;
}

function counted(count: number, quantity = 9): Partial<Verdict> {
  const { reveal } = VERDICT;
  return { reveal: { ...reveal, count, bid: { ...reveal.bid, quantity }, bid_true: count >= quantity } };
}

const loss = { seat: 2, dice: 2, left: 3, cause: "bid_false" as const, to: null };

describe("in English", () => {
  test("a false bid", () => {
    expect(summary({})).toBe(
      "Tobias doubts Ines. Tobias was right. Nine fours were bid and there are seven, so Ines loses two dice.",
    );
  });

  test("to the bidder", () => {
    expect(summary({}, { viewerSeat: 2 })).toBe(
      "Tobias doubts you. Tobias was right. Nine fours were bid and there are seven, so you lose two dice.",
    );
  });

  test("with the stakes doubled", () => {
    expect(summary({ out_of_turn: true })).toContain(
      "there are seven, so, with the stakes doubled, Ines loses two dice.",
    );
  });

  test("one and none", () => {
    expect(summary(counted(0, 1))).toContain("One four was bid and there are none, so");
    expect(summary(counted(1, 2))).toContain("Two fours were bid and there is one, so");
    expect(summary(counted(2, 2))).toContain("Two fours were bid and there are exactly two, so");
  });

  test("everybody but the bidder", () => {
    const losses = [0, 1, 3].map((seat) => ({ ...loss, seat, dice: 1, cause: "bid_exact" as const }));
    expect(summary({ losses }, { viewerSeat: 0 })).toContain("so Tobias, Jun and you lose one die each.");
  });

  test("dice that change hands", () => {
    expect(summary({ losses: [{ ...loss, to: 1 }] })).toContain("so Ines gives two dice to Tobias.");
    expect(summary({ losses: [{ ...loss, to: 1 }] }, { viewerSeat: 1 })).toContain("so Ines gives you two dice.");
  });

  test("an exact call that is right", () => {
    const gains = [{ seat: 1, dice: 1, left: 4, cause: "exact_right" as const, to: null }];
    expect(summary({ ...counted(9), exact: true, losses: [], gains })).toBe(
      "Tobias: “Calza!”. Tobias was right. Nine fours were bid and there are exactly nine, so Tobias gets one die back.",
    );
  });

  test("a penalty, and the last die", () => {
    const losses = [loss, { ...loss, seat: 3, dice: 1, left: 0, cause: "penalty" as const }];
    expect(summary({ losses, out: [3] })).toContain(
      "so Ines loses two dice. Jun pays a penalty of one die. Jun is out.",
    );
  });

  test("how the count came about", () => {
    expect(countBreakdown(VERDICT, CONTEXT)).toBe("Five fours and two ones");
  });
});

describe("in Spanish", () => {
  test("a false bid, doubled", async () => {
    await setLanguage("es");
    expect(summary({})).toBe(
      "Tobias duda de Ines. Tobias tenía razón. Se apostaron nueve cuatros y hay siete, así que Ines pierde dos dados.",
    );
    expect(summary({ out_of_turn: true }, { viewerSeat: 2 })).toContain(
      "y hay siete, así que, por el doble, pierdes dos dados.",
    );
  });

  test("one and none", async () => {
    await setLanguage("es");
    expect(summary(counted(0, 1))).toContain("Se apostó un cuatro y no hay ninguno, así que");
    expect(summary(counted(1, 2))).toContain("Se apostaron dos cuatros y hay uno, así que");
  });
});
