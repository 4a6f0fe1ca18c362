/** Fits a rule sheet onto one printed page of A4. */

/** The usable height of a page in millimetres, a little less than inside the margins because printers differ. */
const HEIGHT_MM = 273;
const LARGEST_PT = 10.5;
const SMALLEST_PT = 5.5;
const STEP_PT = 0.25;
const PX_PER_MM = 96 / 25.4;

/** The largest font size in points with which the sheet fits. It measures a hidden copy with the print layout. */
export function fitPrintSize(sheet: HTMLElement): number {
  const copy = sheet.cloneNode(true) as HTMLElement;
  copy.classList.add("printed", "measured");
  copy.inert = true;
  document.body.append(copy);
  const fits = (size: number): boolean => {
    copy.style.setProperty("--print-size", `${size}pt`);
    return copy.getBoundingClientRect().height <= HEIGHT_MM * PX_PER_MM;
  };
  try {
    if (fits(LARGEST_PT)) return LARGEST_PT;
    let [low, high] = [SMALLEST_PT, LARGEST_PT];
    while (high - low > STEP_PT) {
      const middle = low + STEP_PT * Math.floor((high - low) / STEP_PT / 2);
      if (fits(middle)) low = middle;
      else high = middle;
    }
    return low;
  } finally {
    copy.remove();
  }
}
