/** Moving the focus to what a player needs next, without taking it from anything. */

/** Whether nothing has the focus: no element, the whole document, or the main region as after a skip link. */
export function isFocusFree(): boolean {
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
