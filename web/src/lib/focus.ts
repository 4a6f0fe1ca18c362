/** Moving the focus to what a player needs next, and back from dialogs; and the keys that act wherever the focus is. */

/** Whether nothing has the focus: no element, the whole document, or the main region as after a skip link. */
function isFocusFree(): boolean {
  const { activeElement } = document;
  return (
    activeElement === null ||
    activeElement === document.body ||
    activeElement === document.documentElement ||
    activeElement.id === "main"
  );
}

/** Focuses an element unless another one has the focus. */
export function focusIfFree(element: HTMLElement | null | undefined): void {
  if (element && isFocusFree()) element.focus({ preventScroll: true });
}

let opener: HTMLElement | null = null;

/**
 * An attachment that opens a dialog as modal and returns the focus when it is removed. A dialog opened from another one
 * returns the focus to the element that opened the first.
 */
export function modal(dialog: HTMLDialogElement): () => void {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused !== document.body && !focused.closest("dialog")) opener = focused;
  const returnTo = opener;
  dialog.showModal();
  return () => {
    if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
  };
}

/** The key of a press that is meant for the page, in lower case; "" if a dialog, a field or the browser takes it. */
export function letterOf({ key, ctrlKey, metaKey, altKey, repeat, target }: KeyboardEvent): string {
  const taken = target instanceof Element && target.closest("input, textarea, select");
  if (ctrlKey || metaKey || altKey || repeat || taken || document.querySelector("dialog[open]")) return "";
  return key.toLowerCase();
}
