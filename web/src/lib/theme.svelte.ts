/** The colour theme: light, dark, or as the system is set. */
import { loadLocal, saveLocal } from "./storage";

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
