/** Lists of the latest values by name, such as tables by code, which outlive the tab if the browser allows it. */
import { loadLocal, saveLocal } from "./storage";

const MAX_KEPT = 12;

/** Values by name that could not be stored. */
const memory = new Map<string, Record<string, string>>();

/** The values of a list by name. */
export function kept(list: string): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(loadLocal(list) ?? "{}");
    if (typeof stored === "object" && stored !== null) {
      const values = Object.entries(stored).filter((entry): entry is [string, string] => typeof entry[1] === "string");
      return { ...memory.get(list), ...Object.fromEntries(values) };
    }
  } catch {
    // a value that this page did not write
  }
  return memory.get(list) ?? {};
}

/** Keeps a value in a list. The oldest ones are forgotten. */
export function keep(list: string, name: string, value: string): void {
  const others = Object.entries(kept(list)).filter(([known]) => known !== name);
  const values = Object.fromEntries([...others, [name, value] as const].slice(-MAX_KEPT));
  if (saveLocal(list, JSON.stringify(values))) memory.delete(list);
  else memory.set(list, values);
}
