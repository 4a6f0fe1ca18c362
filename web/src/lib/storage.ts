/** Settings in the browser's storage, under keys that begin with `liarsdice.`. All functions work without storage. */

/** A setting that outlives the tab, null if there is none. */
export function loadLocal(key: string): string | null {
  try {
    return localStorage.getItem(`liarsdice.${key}`);
  } catch {
    return null;
  }
}

/** A setting of this tab, null if there is none. */
export function loadSession(key: string): string | null {
  try {
    return sessionStorage.getItem(`liarsdice.${key}`);
  } catch {
    return null;
  }
}

/** Saves a setting until the tab is closed. */
export function saveSession(key: string, value: string): void {
  try {
    sessionStorage.setItem(`liarsdice.${key}`, value);
  } catch {
    // a private window, or a full one
  }
}

/** Saves a setting that outlives the tab. Returns whether that was possible: not in a private window or a full one. */
export function saveLocal(key: string, value: string): boolean {
  try {
    localStorage.setItem(`liarsdice.${key}`, value);
    return true;
  } catch {
    return false;
  }
}

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

/** Forgets a value of a list. */
export function forget(list: string, name: string): void {
  const values = Object.fromEntries(Object.entries(kept(list)).filter(([known]) => known !== name));
  memory.delete(list);
  saveLocal(list, JSON.stringify(values));
}
