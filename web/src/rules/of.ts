/** The rule sheet of a table's rules, where they have no name: every part is a change to the plainest rules there are. */
import type { Setting } from "../lib/protocol";
import { sheetAddress } from "../setup/address";

const PLAINEST = "basic";

/** The address is long; the sheet replaces it with a short one that means the same. */
export function sheetOf({ rules_name: name, ruleset }: Setting["options"]): string {
  return name ? sheetAddress(name) : sheetAddress(PLAINEST, { ...ruleset });
}
