/** Sharing a link with the share dialog of the device or the clipboard. */
import { t } from "./i18n.svelte";

/** Opens the share dialog on touch devices, else copies the link. Returns a message for the player, or "". */
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

/** Copies a link to the clipboard. Returns a message for the player. */
export async function copyLink(link: string): Promise<string> {
  return (await copyText(link)) ? t("share.copied") : t("share.by_hand", { link });
}

/** Copies a text to the clipboard. Returns whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a host name reaches only this device. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** False in old browsers and on pages without https. */
function canShare(): boolean {
  return "share" in navigator;
}
