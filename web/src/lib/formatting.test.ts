import { expect, test } from "vitest";
import { speak } from "./i18n.svelte";
import { RULES } from "../testing/tableFrames";
import { bidWords, call, listed, percent } from "./formatting";

const ACES = { ...RULES, labels: { ...RULES.labels, special_face: "aces" } };
const PACOS = { ...RULES, labels: { ...RULES.labels, special_face: "pacos", challenge: "Dudo!" } };

test("a bid is said as players say it", async () => {
  expect([bidWords(RULES, [6, 4]), bidWords(RULES, [1, 6]), bidWords(RULES, [21, 2])]).toEqual([
    "six fours",
    "one six",
    "21 twos",
  ]);
  await speak("es");
  expect([bidWords(RULES, [6, 4]), bidWords(RULES, [1, 6])]).toEqual(["seis cuatros", "un seis"]);
});

test("the special face is called what the table calls it", async () => {
  expect([bidWords(ACES, [3, 1]), bidWords(ACES, [1, 1]), bidWords(PACOS, [1, 1])]).toEqual([
    "three aces",
    "one ace",
    "one paco",
  ]);
  await speak("es");
  expect([bidWords(ACES, [3, 1]), bidWords(ACES, [1, 1])]).toEqual(["tres ases", "un as"]);
});

test("a usual call is said in the reader's language, a table's own as it is", async () => {
  await speak("es");
  const own = { ...RULES, labels: { ...RULES.labels, challenge: "Humbug!" } };
  expect([RULES, PACOS, own].map((rules) => call(rules, "challenge"))).toEqual(["¡Mentira!", "¡Dudo!", "Humbug!"]);
});

test("several are named in a row", () => {
  expect([listed([]), listed(["Ann"]), listed(["Ann", "Bo"]), listed(["Ann", "Bo", "Cy"])]).toEqual([
    "",
    "Ann",
    "Ann and Bo",
    "Ann, Bo and Cy",
  ]);
});

test("a chance is written as the language does", async () => {
  expect(percent(62)).toBe("62%");
  await speak("es");
  expect(percent(62)).toMatch(/^62\s%$/);
});
