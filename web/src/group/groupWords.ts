/** What the page of a group says about its members, nights, standings and records, in the current language. */
import { capitalize, countWord, formatBid, joinList } from "../lib/formatting";
import { i18n, t } from "../lib/i18n.svelte";
import type {
  Coming,
  GroupRecord,
  GroupView,
  MatchRef,
  Night,
  PublicMember,
  Rivalry,
  Standing,
  TableSummary,
} from "../lib/protocol";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The members who have not left. */
export function present(view: GroupView): PublicMember[] {
  return view.members.filter(({ gone }) => !gone);
}

/** The name of a member in a sentence about others: "you" for the reader's own. */
export function memberName(view: GroupView, id: number): string {
  if (id === view.me) return t("group.you");
  return ownName(view, id) || t("group.former");
}

/** The name of a member, also of the reader; "" of one who left. */
export function ownName(view: GroupView, id: number): string {
  return view.members.find((member) => member.id === id)?.name ?? "";
}

function names(view: GroupView, ids: readonly number[]): string {
  return joinList(ids.map((id) => memberName(view, id)));
}

/** The path of the replay of a match. */
export function matchPath({ table, match }: MatchRef): string {
  return `/replay/${encodeURIComponent(table)}/${match}`;
}

function format(ms: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(i18n.language, options).format(ms);
}

/** A day with its month: "19 November". */
export function dayWords(ms: number): string {
  return format(ms, { day: "numeric", month: "long" });
}

/** The day of the month and the short month of a night, given as 2026-11-19. */
export function shortDate(night: string): [day: string, month: string] {
  const noon = new Date(`${night}T12:00`).getTime();
  return [format(noon, { day: "numeric" }), format(noon, { month: "short" })];
}

/** A time of day: "21:00". */
export function timeWords(ms: number): string {
  return format(ms, { hour: "numeric", minute: "2-digit", hourCycle: "h23" });
}

const FIRST_MONDAY = Date.UTC(1970, 0, 5);

/** The name of a day of the week, 0 for Monday. */
export function weekdayName(weekday: number): string {
  return format(FIRST_MONDAY + weekday * DAY_MS, { weekday: "long", timeZone: "UTC" });
}

/** The day of the week and the minute of the day of a moment, in the time zone of this browser, to the half hour before. */
export function eveningOf(ms: number): { weekday: number; minute: number } {
  const date = new Date(Math.floor(ms / (HOUR_MS / 2)) * (HOUR_MS / 2));
  return { weekday: (date.getDay() + 6) % 7, minute: 60 * date.getHours() + date.getMinutes() };
}

/** A minute of the day as a time: "21:00". */
export function minuteWords(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

/** When a night is: its day, its time, and how long that is from now. */
export function nightWhen(begins: number, now: number): { day: string; time: string; text: string } {
  const days = Math.round((midnight(begins) - midnight(now)) / DAY_MS);
  const relative = new Intl.RelativeTimeFormat(i18n.language, { numeric: "auto" });
  const left = begins - now;
  const day =
    days < 1
      ? t("group.tonight")
      : days === 1
        ? capitalize(relative.format(1, "day"))
        : capitalize(format(begins, { weekday: "long" }));
  const text =
    left <= 0
      ? t("group.when.on")
      : left < HOUR_MS
        ? capitalize(relative.format(Math.ceil(left / MINUTE_MS), "minute"))
        : days < 1
          ? capitalize(relative.format(Math.round(left / HOUR_MS), "hour"))
          : capitalize(dayWords(begins));
  return { day, time: timeWords(begins), text: left <= 0 ? text : t("sentence", { text }) };
}

function midnight(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

/** What a chair at the table says of its member. */
export type Chair = Coming | "unknown" | "seated" | "none";

const ORDER: readonly Chair[] = ["seated", "yes", "late", "unknown", "none", "no"];

/** The members around the table, first those who come. `table`: the one that is open. */
export function chairs(view: GroupView, table: TableSummary | undefined): { member: PublicMember; says: Chair }[] {
  return present(view)
    .map((member) => ({ member, says: chairOf(view, member, table) }))
    .sort((a, b) => ORDER.indexOf(a.says) - ORDER.indexOf(b.says));
}

function chairOf(view: GroupView, member: PublicMember, table: TableSummary | undefined): Chair {
  const seated = member.id === view.me ? table?.seated : table?.player_names.includes(member.name);
  if (seated) return "seated";
  return member.coming ?? (view.date === null ? "none" : "unknown");
}

/** How many come to the next night, and who comes later. */
export function comingWords(view: GroupView): string {
  const on = present(view).filter(({ coming }) => coming === "yes" || coming === "late");
  if (on.length === 0) return t("group.coming.none");
  const late = on.filter(({ coming }) => coming === "late");
  const words = capitalize(t("group.coming", { count: on.length, n: countWord(on.length) }));
  if (late.length === 0) return t("sentence", { text: words });
  return t("group.coming.late", { coming: words, names: names(view, late.map(({ id }) => id)) }); // prettier-ignore
}

/** Who belongs to a group, how often they met and since when. */
export function sinceWords(view: GroupView): string {
  const count = present(view).length;
  const since = format(view.founded_at_ms, { month: "long", year: "numeric" });
  const people = capitalize(t("group.people", { count, n: countWord(count) }));
  const met = view.night_count;
  return met > 0 ? t("group.since", { people, count: met, since }) : t("group.since.new", { people });
}

/** Points as the season counts them. */
export function pointWords(points: number): string {
  return new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(points);
}

/** What the standings say of a member, besides the points. */
export function standingWords(view: GroupView, row: Standing): string {
  const { streak, nights, nights_won: won, matches, wins, place } = row;
  const ahead = view.standings.filter((other) => other.place < place).at(-1);
  if (streak > 1) return t("group.row.streak", { count: streak, n: countWord(streak) });
  if (row.member === view.me && ahead && view.season.scoring !== "rating")
    return t("group.row.behind", { count: ahead.points - row.points, name: memberName(view, ahead.member) });
  if (won > 0) return t("group.row.nights", { won, count: nights });
  if (wins > 0) return t("group.row.wins", { wins, count: matches });
  return t("group.row.due", { count: matches });
}

/** A night: who won it and what was played. */
export function nightWords(
  view: GroupView,
  { winners, points, guessed, liars, matches }: Night,
): [title: string, text: string] {
  const own = points[view.me];
  const mine = own === undefined ? 0 : 1 + Object.values(points).filter((other) => other > own).length;
  const parts = [t("group.night.matches", { count: matches.length })];
  if (own === undefined) parts.push(t("group.night.missed"));
  else if (!winners.includes(view.me)) parts.push(t("group.night.place", { place: mine }));
  const [guesser] = Object.entries(guessed).sort(([, a], [, b]) => b - a);
  if (guesser) parts.push(t("group.night.guessed", { name: capitalize(memberName(view, Number(guesser[0]))) }));
  const most = Math.max(0, ...Object.values(liars));
  const best = Object.keys(liars).filter((id) => liars[id] === most);
  if (most > 0) {
    const liar = capitalize(names(view, best.map(Number)));
    parts.push(t("group.liar", { count: most, n: countWord(most), names: liar }));
  }
  const title =
    winners.length === 0
      ? t("group.night.nobody")
      : winners.length === 1 && winners[0] === view.me
        ? t("group.night.yours")
        : t("group.night.of", { count: winners.length, names: capitalize(names(view, winners)) });
  return [title, parts.join(" ")];
}

/** The headline about the member who catches the reader most, or whom the reader catches. */
export function rivalWords(view: GroupView, { other, caught, caught_by: by, latest }: Rivalry): [string, string] {
  const name = ownName(view, other);
  const times = (count: number): string => t("group.times", { count, n: countWord(count) });
  if (by === 0) return [t("group.rival.you", { name, times: times(caught) }), t("group.rival.never", { name })];
  const text = caught > 0 ? t("group.rival.back", { name, times: times(caught) }) : t("group.rival.wait", { name });
  const day = latest ? t("group.rival.latest", { day: dayWords(latest.at_ms) }) : "";
  return [t("group.rival", { name, times: times(by) }), `${day} ${text}`.trim()];
}

/** What a record was won for: the bid, and how many dice there were. */
export function recordWords({ award: { bid, count } }: GroupRecord): string {
  if (!bid) return "";
  const words = formatBid(undefined, [bid.quantity, bid.face, bid.pure ?? false]);
  return t("group.record.bid", { bid: words, count, n: countWord(count) });
}
