import { expect, test, afterEach, vi, describe } from "vitest";
import { setLanguage, chooseLanguage, preferredLanguage, shorten, t, LANGUAGES, type Language } from "./i18n.svelte";
import { RULES } from "../testing/tableFrames";
import { formatBid, callLabel, joinList, formatPercent } from "./formatting";
import { translateLabel } from "./labels";
import { rememberName } from "./player.svelte";
import text from "../../../tests/golden/sentence_cases.json?raw";
import { outcome } from "../reveal/callSummary";
import type { RecordedEvent } from "../replay/matchRecord";
import type { GameEvent, Ruleset, Verdict } from "./ruleset";
import { narrateEvent } from "./narration";

const ACES = { ...RULES, labels: { ...RULES.labels, special_face: "aces" } };
const PACOS = { ...RULES, labels: { ...RULES.labels, special_face: "pacos", challenge: "Dudo!" } };

test("a bid is written in words", async () => {
  expect([formatBid(RULES, [6, 4]), formatBid(RULES, [1, 6]), formatBid(RULES, [21, 2])]).toEqual([
    "six fours",
    "one six",
    "21 twos",
  ]);
  await setLanguage("es");
  expect([formatBid(RULES, [6, 4]), formatBid(RULES, [1, 6])]).toEqual(["seis cuatros", "un seis"]);
});

test("the special face has the name that the rules give it", async () => {
  expect([formatBid(ACES, [3, 1]), formatBid(ACES, [1, 1]), formatBid(PACOS, [1, 1])]).toEqual([
    "three aces",
    "one ace",
    "one paco",
  ]);
  await setLanguage("es");
  expect([formatBid(ACES, [3, 1]), formatBid(ACES, [1, 1])]).toEqual(["tres ases", "un as"]);
});

test("common call words are translated, others are not", async () => {
  await setLanguage("es");
  const own = { ...RULES, labels: { ...RULES.labels, challenge: "Humbug!" } };
  expect([RULES, PACOS, own].map((rules) => callLabel(rules, "challenge"))).toEqual(["¡Mentira!", "¡Dudo!", "Humbug!"]);
});

test("the games of the presets have Spanish names, and a table's own game keeps its name", async () => {
  expect(translateLabel("Basic Liar's Dice")).toBe("Basic Liar's Dice");
  await setLanguage("es");
  expect(["Basic Liar's Dice", "Pirate's Dice", "Perudo", "Fox dice"].map(translateLabel)).toEqual([
    "Dados mentirosos básicos",
    "Dados piratas",
    "Perudo",
    "Fox dice",
  ]);
});

test("words are joined to a list", () => {
  expect([joinList([]), joinList(["Ann"]), joinList(["Ann", "Bo"]), joinList(["Ann", "Bo", "Cy"])]).toEqual([
    "",
    "Ann",
    "Ann and Bo",
    "Ann, Bo and Cy",
  ]);
});

test("a chance is a percentage in the format of the language", async () => {
  expect(formatPercent(62)).toBe("62%");
  expect([0, 1, 99, 100].map(formatPercent)).toEqual(["0%", "≤1%", "99%", "100%"]);
  await setLanguage("es");
  expect(formatPercent(62)).toMatch(/^62\s%$/);
});

test("a name has at most 24 characters, of which a family is one", () => {
  const family = "👨‍👩‍👧‍👦";
  expect(rememberName(family.repeat(30))).toBe(family.repeat(24));
  expect(rememberName("a".repeat(30))).toBe("a".repeat(24));
});

describe("i18n", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("a text gets its values and its plural form", () => {
    expect(t("landing.play.against", { count: 1 })).toBe("against one bot");
    expect(t("landing.play.against", { count: 3 })).toBe("against 3 bots");
  });

  test("numbers have the format of the language", async () => {
    expect(t("landing.play.against", { count: 12345 })).toBe("against 12,345 bots");
    await setLanguage("es");
    expect(t("landing.play.against", { count: 12345 })).toBe("contra 12.345 bots");
  });

  test("a placeholder without a value stays visible", () => {
    expect(t("die")).toBe("a die showing {face}");
  });

  test("a name from right to left is isolated in a sentence", () => {
    expect(t("word.by_bot", { name: "محمد علي" })).toBe("\u2068محمد علي\u2069 (bot)");
    expect(t("word.by_bot", { name: "Ann" })).toBe("Ann (bot)");
  });

  test("whatever is cut at its end follows the direction of its own text", () => {
    const sources = import.meta.glob<string>("../**/*.svelte", { eager: true, import: "default", query: "?raw" });
    const cut = Object.entries(sources).filter(([, text]) => text.includes("text-overflow: ellipsis"));
    const fixed = ["ActionPanel", "/Board.svelte", "CallGuess", "/Landing.svelte"]; // what they cut are words of the page
    expect(cut.length).toBeGreaterThan(10);
    for (const [path, text] of cut)
      if (!fixed.some((name) => path.includes(name))) expect(text, path).toContain('dir="auto"');
  });

  test("the document has the lang attribute", async () => {
    await setLanguage("es");
    expect(document.documentElement.lang).toBe("es");
  });

  test("the first supported language of the browser is preferred", () => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["de-CH", "es-CL", "en"]);
    expect(preferredLanguage()).toBe("es");
  });

  test("without a supported language it is English", () => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["de-CH", "constructor"]);
    expect(preferredLanguage()).toBe("en");
  });

  test("a saved language comes first", async () => {
    await chooseLanguage("es");
    expect(preferredLanguage()).toBe("es");
  });

  test.each([
    ["Annabelle Lee", 8, "Annabel…"],
    ["Ann", 8, "Ann"],
    ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦"],
    ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2, "👨‍👩‍👧‍👦…"],
    ["🇪🇸🇲🇽🇵🇪", 2, "🇪🇸…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ])("%s is cut between characters", (text, most, expected) => {
    expect(shorten(text, most, "…")).toBe(expected);
  });
});

/** The golden sentences: every event and call, in every language, the same as in the package. */
/** An event or a call. The page never gets `hand_dealt` and `roll_seen`; it shows a player's own dice as pictures. */
type Case = {
  id: string;
  rules: string;
  names: string[];
  viewer: number | null;
  texts: Record<Language, string>;
} & ({ event: GameEvent | RecordedEvent | Unseen } | { verdict: Verdict });

const golden = JSON.parse(text) as { rulesets: Record<string, Ruleset>; cases: Case[] };
interface Unseen {
  type: "hand_dealt" | "roll_seen";
}

function isUnseen(event: { type: string }): event is Unseen {
  return event.type === "hand_dealt" || event.type === "roll_seen";
}

const cases = golden.cases.filter((golden) => !("event" in golden && isUnseen(golden.event)));

function sentence(golden: Case, rules: Ruleset | undefined): string {
  const narrator = { rules, names: golden.names, viewerSeat: golden.viewer };
  if ("verdict" in golden) return outcome(golden.verdict, narrator);
  const { event } = golden;
  return isUnseen(event) ? "" : narrateEvent(event, narrator);
}

test.each(Object.keys(LANGUAGES) as Language[])("the sentences in %s are the golden ones", async (language) => {
  await setLanguage(language);
  expect(cases.length).toBeGreaterThan(100);
  expect(cases.map((golden) => [golden.id, sentence(golden, rulesOf(golden))])).toEqual(
    cases.map(({ id, texts }) => [id, texts[language]]),
  );
});

function rulesOf({ rules }: Case): Ruleset | undefined {
  return golden.rulesets[rules];
}
