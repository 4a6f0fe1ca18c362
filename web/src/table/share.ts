/** Addresses, and giving them to somebody else. */
import type { Setting } from "../lib/protocol";

/** Share an address as this device does it, or copy it. True where it lies in the clipboard now. */
export async function share(url: string, title: string): Promise<boolean> {
  if ("share" in navigator && matchMedia("(pointer: coarse)").matches) {
    try {
      await navigator.share({ url, title });
      return false;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return false;
    }
  }
  return copy(url);
}

/** Copy a text; false where the browser does not allow it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Where the rule sheet of a table is. */
export function rulesOf(setting: Setting | null): string {
  const name = setting?.options.rules_name ?? "";
  return `/rules/${encodeURIComponent(name === "" ? "classic" : name)}`;
}
