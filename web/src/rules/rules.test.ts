import { expect, test } from "vitest";
import { setting } from "../testing/tableFrames";
import { changesToQuery, changesFromQuery, newTableUrl, ruleSheetUrl, tableRulesUrl, diffRulebooks } from "./rulesUrl";
import { layoutChart } from "./sheetLayout";
import type { RulebookSection } from "../lib/protocol";

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

const none = { caption: "", remarks: [], reads: [] };

test("a ladder has a column for every face, and a gap where the special face has no bid", () => {
  const layout = layoutChart({ ...none, head: ["Bids"], rows: [["1x2 1x3 1x1"], ["2x2 2x3"], ["3x2 3x3 2x1"]] });
  expect(layout).toMatchObject({ kind: "ladder", faces: [2, 3, 1] });
  expect(layout.kind === "ladder" && layout.lines[1]).toEqual([
    { quantity: 2, face: 2 },
    { quantity: 2, face: 3 },
    null,
  ]);
});

test("where the face counts first, a line is a face", () => {
  expect(layoutChart({ ...none, head: ["Bids"], rows: [["1x1 2x1"], ["1x2 2x2"]] }).kind).toBe("faces");
});

test("without one order of all bids, each line is for a standing bid", () => {
  const rows = [
    ["1x1", "2", "1"],
    ["1x2", "2", "=2"],
  ];
  expect(layoutChart({ ...none, head: ["Over", "ones", "twos"], rows })).toMatchObject({
    kind: "minimums",
    faces: [1, 2],
  });
});

test("a chart of unknown form stays as it is", () => {
  expect(layoutChart({ ...none, head: ["Bids"], rows: [["any bid"]] }).kind).toBe("text");
});

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
