/** Rules in URLs, as in `/rules/perudo?dice.per_player=6`. Each value is JSON, or plain text if it is not JSON. */
import type { TableSetup, RulebookSection } from "../lib/protocol";

/** Changes to a preset by rule path. */
export type Changes = Record<string, unknown>;

/** A preset with its options, as `classic+aces`, and the changes to it. */
export interface ChosenRules {
  rules: string;
  changes: Changes;
}

const PATH = /^[a-z_]+(\.[a-z_]+)*$/;
/** Query parameters that are no rules. */
const OTHER_PARAMETERS = new Set(["rules", "theme", "language", "group"]);

/** A value for a URL. */
function formatValue(value: unknown): string {
  return typeof value === "string" && isText(value) ? value : JSON.stringify(value);
}

/** The value in a URL. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function isText(text: string): boolean {
  return parseValue(text) === text;
}

/** The changes in a query. Parameters that are no rule paths are ignored. */
export function changesFromQuery(query: URLSearchParams): Changes {
  const changes: Changes = {};
  for (const [path, text] of query)
    if (PATH.test(path) && !OTHER_PARAMETERS.has(path)) changes[path] = parseValue(text);
  return changes;
}

/** Changes as a query, "" if there are none. */
export function changesToQuery(changes: Changes): string {
  return new URLSearchParams(Object.entries(changes).map(([path, value]) => [path, formatValue(value)])).toString();
}

/** The URL of the form for a new table with these rules. */
export function newTableUrl(rules: string, changes: Changes): string {
  const query = changesToQuery(changes);
  return `/new?rules=${encodeURIComponent(rules)}${query && "&"}${query}`;
}

/** The URL of the page about strategy, with charts for these rules. */
export function strategyUrl(rules: string, changes: Changes): string {
  const query = changesToQuery(changes);
  return `/strategy?rules=${encodeURIComponent(rules)}${query && "&"}${query}`;
}

/** The URL of the rule sheet of these rules. */
export function ruleSheetUrl(rules: string, changes: Changes = {}): string {
  const query = changesToQuery(changes);
  return `/rules/${encodeURIComponent(rules)}${query && "?"}${query}`;
}

/** The preset that rules without a preset are compared with. */
export const BASE_OF_ALL_RULES = "basic";

/** The URL of the rule sheet of a table. The rules of a preset that was changed are sent as changes to it. */
export function tableRulesUrl(setting: TableSetup | null): string {
  if (setting === null) return "/rules";
  const { rules_name: name, rules_base: base, ruleset } = setting.config;
  return name ? ruleSheetUrl(name) : ruleSheetUrl(base || BASE_OF_ALL_RULES, { ...ruleset });
}

/** Whether rules are the same, with changes in any order. */
export function sameRules(a: ChosenRules, b: ChosenRules): boolean {
  return a.rules === b.rules && sameValue(sortChanges(a.changes), sortChanges(b.changes));
}

/** Changes in the order of their paths. */
export function sortChanges(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether two JSON values are equal. */
export function sameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A section with the sentences that only one of two rulebooks has. */
export interface SectionDiff {
  key: string;
  title: string;
  removed: string[];
  added: string[];
}

/** The sections that differ, in the order of the rulebook `after`; sections that it lacks come last. */
export function diffRulebooks(before: readonly RulebookSection[], after: readonly RulebookSection[]): SectionDiff[] {
  const lost = before.filter(({ key }) => !after.some((section) => section.key === key));
  return [...after, ...lost]
    .map(({ key, title }) => {
      const [old, now] = [textsOf(before, key), textsOf(after, key)];
      const removed = old.filter((text) => !now.includes(text));
      return { key, title, removed, added: now.filter((text) => !old.includes(text)) };
    })
    .filter(({ removed, added }) => removed.length > 0 || added.length > 0);
}

function textsOf(sections: readonly RulebookSection[], key: string): string[] {
  return sections.find((section) => section.key === key)?.sentences.map(({ text }) => text) ?? [];
}
