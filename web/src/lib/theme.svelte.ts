/** Light, dark, or as the system says. */
import { recalled, remember } from "./storage";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

class Choice {
  chosen = $state<Theme>(THEMES.find((theme) => theme === recalled("theme")) ?? "system");

  /** Give the document the chosen theme. */
  show(): void {
    if (this.chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.chosen;
  }

  choose(theme: Theme): void {
    this.chosen = theme;
    remember("theme", theme);
    this.show();
  }

  /** Choose the theme that follows in the list. */
  next(): void {
    this.choose(THEMES[(THEMES.indexOf(this.chosen) + 1) % THEMES.length] ?? "system");
  }
}

export const theme = new Choice();
