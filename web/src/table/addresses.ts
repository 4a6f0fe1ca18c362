/** Where pages that go with a table are. */
import type { Setting } from "../lib/protocol";

/** The rule sheet of a table. */
export function rulesOf(setting: Setting | null): string {
  const name = setting?.options.rules_name ?? "";
  return `/rules/${encodeURIComponent(name === "" ? "classic" : name)}`;
}
