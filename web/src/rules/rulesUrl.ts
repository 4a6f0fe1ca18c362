/** Rules in an address: `/rules/perudo?dice.per_player=6`, each change as JSON, or as plain text where it is none. */
import type { Setting } from "../lib/protocol";

/** Changes to rules by the path of each, as a form takes them. */
export type Changes = Record<string, unknown>;

const PATH = /^[a-z_]+(\.[a-z_]+)*$/;
/** What is said after `?` on these pages and is no rule. */
const OTHER = new Set(["rules", "theme", "language"]);

export function formatValue(value: unknown): string {
  return typeof value === "string" && isText(value) ? value : JSON.stringify(value);
}

export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function isText(text: string): boolean {
  return parseValue(text) === text;
}

/** The changes that an address asks for; what is no rule's path is left out. */
export function changesFromQuery(query: URLSearchParams): Changes {
  const found: Changes = {};
  for (const [path, text] of query) if (PATH.test(path) && !OTHER.has(path)) found[path] = parseValue(text);
  return found;
}

/** Changes as what follows `?`, "" where there are none. */
export function changesToQuery(changes: Changes): string {
  return new URLSearchParams(Object.entries(changes).map(([path, value]) => [path, formatValue(value)])).toString();
}

/** Where a table with these rules is set up. */
export function newTableUrl(rules: string, changes: Changes): string {
  const query = changesToQuery(changes);
  return `/new?rules=${encodeURIComponent(rules)}${query && "&"}${query}`;
}

/** The rule sheet of these rules, where the server has not said it. */
export function ruleSheetUrl(rules: string, changes: Changes = {}): string {
  const query = changesToQuery(changes);
  return `/rules/${encodeURIComponent(rules)}${query && "?"}${query}`;
}

const PLAINEST = "basic";

/** The rule sheet of a table. Where its rules have no name, every part is a change to those that they come from. */
export function tableRulesUrl(setting: Setting | null): string {
  if (setting === null) return "/rules";
  const { rules_name: name, rules_base: base, ruleset } = setting.options;
  return name ? ruleSheetUrl(name) : ruleSheetUrl(base || PLAINEST, { ...ruleset });
}

export function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
