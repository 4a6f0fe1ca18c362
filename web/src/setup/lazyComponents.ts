/** Components of the form for tables that show what the server answers. They are loaded while it does. */
import { withWords } from "../lib/i18n.svelte";

/** Loaders by component. */
export const lazy = {
  presetOptions: withWords(() => import("./PresetOptions.svelte"), "options"),
  ruleChoices: withWords(() => import("./RuleChoices.svelte"), "terms"),
  rulesPreview: withWords(() => import("./RulesPreview.svelte"), "terms", "glossary"),
  rulesLab: withWords(() => import("./RulesLab.svelte"), "lab"),
};
