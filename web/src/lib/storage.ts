/** What this browser remembers between visits; where it may not remember, nothing fails. */

export function loadLocal(key: string): string | null {
  try {
    return localStorage.getItem(`liarsdice.${key}`);
  } catch {
    return null;
  }
}

/** What this tab remembers, until it is closed. */
export function loadSession(key: string): string | null {
  try {
    return sessionStorage.getItem(`liarsdice.${key}`);
  } catch {
    return null;
  }
}

export function saveSession(key: string, value: string): void {
  try {
    sessionStorage.setItem(`liarsdice.${key}`, value);
  } catch {
    // a private window, or a full one
  }
}

export function saveLocal(key: string, value: string): void {
  try {
    localStorage.setItem(`liarsdice.${key}`, value);
  } catch {
    // a private window, or a full one
  }
}
