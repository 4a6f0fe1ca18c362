/** Opening modal dialogs. */

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
