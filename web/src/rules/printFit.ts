/** How large the type of a sheet can be, so that it prints on one page of A4. */

/** What of a page is left inside its margins, in millimetres; a few are kept back, for other printers. */
const HEIGHT_MM = 273;
const LARGEST_PT = 10.5;
const SMALLEST_PT = 5.5;
const STEP_PT = 0.25;
const PX_PER_MM = 96 / 25.4;

/** The largest type in points with which a copy of the sheet, laid out as in print, is no taller than a page. */
export function fitPrintSize(sheet: HTMLElement): number {
  const copy = sheet.cloneNode(true) as HTMLElement;
  copy.classList.add("printed", "measured");
  copy.inert = true;
  document.body.append(copy);
  try {
    for (let size = LARGEST_PT; size > SMALLEST_PT; size -= STEP_PT) {
      copy.style.setProperty("--print-size", `${size}pt`);
      if (copy.getBoundingClientRect().height <= HEIGHT_MM * PX_PER_MM) return size;
    }
  } finally {
    copy.remove();
  }
  return SMALLEST_PT;
}
