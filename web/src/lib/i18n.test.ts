import { afterEach, expect, test, vi } from "vitest";
import { chooseLanguage, preferredLanguage, setLanguage, shorten, t } from "./i18n.svelte";

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
  const fixed = ["ActionPanel", "BoardCentre", "CallGuess", "QuickPlayOptions"]; // what they cut are words of the page
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
