import { describe, expect, test } from "vitest";
import { setLanguage } from "../lib/i18n.svelte";
import type { Narrator } from "../lib/narrator";
import { RULES, VERDICT } from "../testing/tableFrames";
import { callerWasRight, countBreakdown, headline } from "./callSummary";

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
