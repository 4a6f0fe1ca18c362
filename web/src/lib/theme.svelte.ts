/** Light, dark, or as the system says. */
import { loadLocal, saveLocal } from "./storage";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

class ThemeSetting {
  current = $state<Theme>(THEMES.find((theme) => theme === loadLocal("theme")) ?? "system");

  /** Give the document the chosen theme. */
  apply(): void {
    if (this.current === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.current;
  }

  set(theme: Theme): void {
    this.current = theme;
    saveLocal("theme", theme);
    this.apply();
  }

  /** Choose the theme that follows in the list. */
  next(): void {
    this.set(THEMES[(THEMES.indexOf(this.current) + 1) % THEMES.length] ?? "system");
  }
}

export const theme = new ThemeSetting();
