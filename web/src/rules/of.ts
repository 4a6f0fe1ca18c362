/** The rule sheet of a table's rules. Where they have no name, every part is a change to those that they come from. */
import type { Setting } from "../lib/protocol";
import { sheetAddress } from "../setup/address";

const PLAINEST = "basic";

/** The address is long; the sheet replaces it with a short one that means the same. */
export function sheetOf({ rules_name: name, rules_base: base, ruleset }: Setting["options"]): string {
  return name ? sheetAddress(name) : sheetAddress(base || PLAINEST, { ...ruleset });
}
