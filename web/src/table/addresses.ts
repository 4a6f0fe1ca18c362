/** Where pages that go with a table are. */
import type { Setting } from "../lib/protocol";
import { sheetOf } from "../rules/of";

/** The rule sheet of a table. */
export function rulesOf(setting: Setting | null): string {
  return setting === null ? "/rules" : sheetOf(setting.options);
}
