/** Passing a link on, as the device does it. */
import { t } from "./i18n.svelte";

/** Offer a link to share, or copy it. What to tell the player: "" where the device has said enough. */
export async function share(title: string, link: string): Promise<string> {
  if (canShare() && matchMedia("(pointer: coarse)").matches) {
    try {
      await navigator.share({ title, url: link });
      return "";
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return "";
    }
  }
  return copyLink(link);
}

/** Copy a link. What to tell the player. */
export async function copyLink(link: string): Promise<string> {
  return (await copyText(link)) ? t("share.copied") : t("share.by_hand", { link });
}

/** Copy a text. Whether the device let us. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether an address is one at which only this device finds the server. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** Old browsers and pages without https share nothing. */
function canShare(): boolean {
  return "share" in navigator;
}
