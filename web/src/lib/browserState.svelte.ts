/** What this browser keeps for all pages: the colour theme, and the table at which it holds a seat. */
import { loadLocal, saveLocal } from "./storage";
import { getJson, ApiError } from "./http";
import type { TableSummary } from "./protocol";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

class ThemeSetting {
  current = $state<Theme>(THEMES.find((theme) => theme === loadLocal("theme")) ?? "system");

  /** Applies the theme to the document. */
  apply(): void {
    if (this.current === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.current;
  }

  /** Applies a theme and saves it. */
  set(theme: Theme): void {
    this.current = theme;
    saveLocal("theme", theme);
    this.apply();
  }

  /** Switches to the next theme of `THEMES`. */
  next(): void {
    this.set(THEMES[(THEMES.indexOf(this.current) + 1) % THEMES.length] ?? "system");
  }
}

/** The theme of this browser. */
export const theme = new ThemeSetting();

const KEY = "seat";

/** A seat of this browser: the code and the title of the table. */
interface Seat {
  code: string;
  title: string;
}

class HeldSeat {
  /** The latest seat that this browser took and has not left, null if there is none. */
  current: Seat | null = $state.raw(read());

  constructor() {
    addEventListener("storage", () => (this.current = read()));
  }

  /** Remembers a seat, in all tabs. */
  hold(seat: Seat): void {
    if (this.current?.code === seat.code && this.current.title === seat.title) return;
    saveLocal(KEY, JSON.stringify(seat));
    this.current = seat;
  }

  /** Forgets the seat at a table, in all tabs. */
  release(code: string): void {
    if (this.current?.code !== code) return;
    saveLocal(KEY, "null");
    this.current = null;
  }

  /** Asks the server whether the seat is still held, and forgets it otherwise. */
  async check(): Promise<void> {
    const { current } = this;
    if (!current) return;
    try {
      const { seated } = await getJson<TableSummary>(`/api/tables/${encodeURIComponent(current.code)}`);
      if (!seated) this.release(current.code);
    } catch (error) {
      if (error instanceof ApiError && error.code === "no_such_table") this.release(current.code);
    }
  }
}

function read(): Seat | null {
  try {
    const value = JSON.parse(loadLocal(KEY) ?? "null") as Partial<Seat> | null;
    return typeof value?.code === "string" && typeof value.title === "string" ? (value as Seat) : null;
  } catch {
    return null;
  }
}

/** The seat that this browser holds, reactive. */
export const heldSeat = new HeldSeat();
