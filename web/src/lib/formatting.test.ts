import { expect, test } from "vitest";
import { setLanguage } from "./i18n.svelte";
import { RULES } from "../testing/tableFrames";
import { formatBid, callLabel, joinList, formatPercent } from "./formatting";
import { translateLabel } from "./labels";
import { rememberName } from "./player.svelte";

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
