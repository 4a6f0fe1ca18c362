/** Sharing links and files with the share dialog of the device, or by the clipboard and the folder of downloads. */
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

/** Whether this device can share files of a type. */
export function canShareFiles(type: string): boolean {
  return "canShare" in navigator && navigator.canShare({ files: [new File([], "file", { type })] });
}

/** Shares a file with the dialog of the device. A player who closes the dialog has changed their mind. */
export async function shareFile(title: string, file: File): Promise<void> {
  try {
    await navigator.share({ title, files: [file] });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  }
}

/** Hands a file to the browser to save. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 0);
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
