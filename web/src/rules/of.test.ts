import { expect, test } from "vitest";
import { setting } from "../table/frames.fixture";
import { sheetOf } from "./of";

test("the sheet of a table is that of its preset, of the preset that it was changed from, or of the plainest rules", () => {
  const { options } = setting();
  expect(sheetOf(options)).toBe("/rules/official");
  const changed = sheetOf({ ...options, rules_name: "", rules_base: "mustache" });
  expect(changed).toMatch(/^\/rules\/mustache\?players=/);
  expect(sheetOf({ ...options, rules_name: "" })).toMatch(/^\/rules\/basic\?/);
});
