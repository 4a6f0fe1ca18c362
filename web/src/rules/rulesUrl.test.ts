import { expect, test } from "vitest";
import { setting } from "../testing/tableFrames";
import { changesToQuery, changesFromQuery, newTableUrl, ruleSheetUrl, tableRulesUrl } from "./rulesUrl";

test("a URL has changes as JSON, or as plain text where that reads the same", () => {
  const changes = { "dice.per_player": 6, exact_call: null, "wilds.special_is_wild": true, "labels.game": "Dudo" };
  const address = newTableUrl("classic+aces", changes);
  expect(address).toBe(
    "/new?rules=classic%2Baces&dice.per_player=6&exact_call=null&wilds.special_is_wild=true&labels.game=Dudo",
  );
  expect(changesFromQuery(new URLSearchParams(address.split("?")[1]))).toEqual(changes);
});

test("text that would be read as something else is quoted", () => {
  const changes = { "labels.game": "21", "labels.exact": "null" };
  expect(changesFromQuery(new URLSearchParams(changesToQuery(changes)))).toEqual(changes);
});

test("parameters that are no rule paths are ignored", () => {
  expect(
    changesFromQuery(new URLSearchParams("rules=perudo&utm-source=x&__proto__=1&Dice=2&turn.direction=clockwise")),
  ).toEqual({ "turn.direction": "clockwise" });
});

test("a rule sheet without changes has no query", () => {
  expect(ruleSheetUrl("snyd-stairs")).toBe("/rules/snyd-stairs");
});

test("the sheet of a table is that of its preset, of the preset that was changed, or of the basic rules", () => {
  const opened = setting();
  const withOptions = (change: Partial<typeof opened.config>): string =>
    tableRulesUrl({ ...opened, config: { ...opened.config, ...change } });
  expect(withOptions({})).toBe("/rules/official");
  expect(withOptions({ rules_name: "", rules_base: "mustache" })).toMatch(/^\/rules\/mustache\?players=/);
  expect(withOptions({ rules_name: "" })).toMatch(/^\/rules\/basic\?/);
});
