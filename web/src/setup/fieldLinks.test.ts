import { expect, test } from "vitest";
import type { RuleField } from "../lib/protocol";
import { linkFields } from "./rulesDraft.svelte";

const field = (path: string, title: string): RuleField => ({
  path,
  title,
  section: "",
  kind: "switch",
  value: true,
  options: [],
  least: null,
  most: null,
  changed: false,
});
const FIELDS = [field("bidding.special_rank", "Bids on the special face"), field("exact_call.budget", "Budget")];

test("the titles of fields in a sentence about rules are links to them", () => {
  expect(linkFields("Check “Bids on the special face” and “Exact call: Budget”, not “else”.", FIELDS)).toEqual([
    { text: "Check ", path: null },
    { text: "“Bids on the special face”", path: "bidding.special_rank" },
    { text: " and ", path: null },
    { text: "“Exact call: Budget”", path: "exact_call.budget" },
    { text: ", not ", path: null },
    { text: "“else”", path: null },
    { text: ".", path: null },
  ]);
});
