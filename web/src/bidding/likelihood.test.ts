import { expect, test } from "vitest";
import { setLanguage } from "../lib/i18n.svelte";
import { likelihood } from "./challenge.svelte";

test("only what is certain is called certain, and only what is impossible is called impossible", async () => {
  expect([0, 1, 99, 100].map(likelihood)).toEqual([
    "Impossible, judging by your own dice",
    "≤1% likely, judging by your own dice",
    "99% likely, judging by your own dice",
    "Certain: you hold it yourself",
  ]);
  await setLanguage("es");
  expect(likelihood(100)).toBe("Segura: la tienes tú");
});
