import { expect, test } from "vitest";
import type { RulebookSection } from "../lib/protocol";
import { diffRulebooks } from "./rulesUrl";

const section = (key: string, ...texts: string[]): RulebookSection => ({
  key,
  title: key.toUpperCase(),
  sentences: texts.map((text) => ({ key: text, text })),
  chart: null,
});

test("the difference of two rulebooks lists what is gone and what is new, by section", () => {
  const before = [section("dice", "Five dice each."), section("wilds", "Ones are wild."), section("calza", "Calza.")];
  const after = [section("dice", "Five dice each."), section("wilds", "Nothing is wild."), section("end", "The end.")];
  expect(diffRulebooks(before, after)).toEqual([
    { key: "wilds", title: "WILDS", removed: ["Ones are wild."], added: ["Nothing is wild."] },
    { key: "end", title: "END", removed: [], added: ["The end."] },
    { key: "calza", title: "CALZA", removed: ["Calza."], added: [] },
  ]);
});
