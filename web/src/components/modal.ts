/** Opening dialogs so that the focus comes back to where it was, however they are closed. */

let opener: HTMLElement | null = null;

/** To be attached to a dialog; one that is opened out of another one returns the focus to where the first was opened. */
export function modal(dialog: HTMLDialogElement): () => void {
  const at = document.activeElement;
  if (at instanceof HTMLElement && at !== document.body && !at.closest("dialog")) opener = at;
  const back = opener;
  dialog.showModal();
  return () => {
    if (back?.isConnected) back.focus({ preventScroll: true });
  };
}
