import { afterEach, expect, test, vi } from "vitest";
import { chooseLanguage, preferredLanguage, setLanguage, t } from "./i18n.svelte";

afterEach(() => {
  vi.restoreAllMocks();
});

test("a sentence takes its values and its plural form", () => {
  expect(t("landing.play.against", { count: 1 })).toBe("against one bot");
  expect(t("landing.play.against", { count: 3 })).toBe("against 3 bots");
});

test("numbers are written as the language writes them", async () => {
  expect(t("landing.play.against", { count: 12345 })).toBe("against 12,345 bots");
  await setLanguage("es");
  expect(t("landing.play.against", { count: 12345 })).toBe("contra 12.345 bots");
});

test("a value that was not given leaves its name to be seen", () => {
  expect(t("die")).toBe("a die showing {face}");
});

test("the document tells its language", async () => {
  await setLanguage("es");
  expect(document.documentElement.lang).toBe("es");
});

test("the first of the browser's languages that there is gets spoken", () => {
  vi.spyOn(navigator, "languages", "get").mockReturnValue(["de-CH", "es-CL", "en"]);
  expect(preferredLanguage()).toBe("es");
});

test("without a language in common it is English", () => {
  vi.spyOn(navigator, "languages", "get").mockReturnValue(["de-CH", "constructor"]);
  expect(preferredLanguage()).toBe("en");
});

test("the language chosen here before comes first", async () => {
  await chooseLanguage("es");
  expect(preferredLanguage()).toBe("es");
});
