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
