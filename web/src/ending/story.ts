/** The story of a match: awards and moments in words, the dice over time, and its drawings as pictures. */
import { shorten, t } from "../lib/i18n.svelte";
import { callLabel, capitalize, countWord, formatBid, formatProbability } from "../lib/formatting";
import { bidPair, type Ruleset, shownStakes } from "../lib/ruleset";
import type { Award, Bid, Scene } from "../lib/protocol";
import type { Film } from "./film";

/** What an award is for. */
export function awardTitle({ kind }: Award): string {
  return t(`award.title.${kind}`);
}

/** How the award was earned, as a sentence. */
export function awardReason(rules: Ruleset | undefined, award: Award): string {
  const { kind, bid, count, dice, p, round_number: round } = award;
  const chance = p ?? 0;
  return t(`award.reason.${kind}`, {
    bid: bid ? formatBid(rules, [bid.quantity, bid.face]) : "",
    percent: formatProbability(chance),
    rolls: chance > 0 ? Math.round(1 / chance) : 0,
    count,
    dice,
    round,
  });
}

/** An award for a bid or a call, of which a film can be made. */
export interface Moment extends Award {
  bid: Bid;
  scene: Scene;
}

/** The awards that a film can be made of. Two for the same call are one. */
export function momentsOf(awards: readonly Award[]): Moment[] {
  const moments = awards.filter((award): award is Moment => award.bid !== null && award.scene !== null);
  return moments.filter(
    ({ scene, round_number: round }, index) =>
      scene.caller === null ||
      !moments.slice(0, index).some((other) => other.scene.caller !== null && other.round_number === round),
  );
}

/** How the bid of a moment ended: "liar" for a lie, also if nobody called it. */
export function outcomeOf({ bid, count, scene }: Moment): "true" | "liar" | "exact" {
  if (scene.exact) return "exact";
  return count < bid.quantity ? "liar" : "true";
}

/** What happened, in one line; `names` by seat. */
export function momentLine(rules: Ruleset | undefined, moment: Moment, names: readonly string[]): string {
  const { caller, bidder, counted } = moment.scene;
  const held = counted[bidder] ?? 0;
  const values = {
    bid: formatBid(rules, bidPair(moment.bid)),
    name: shortName(names[moment.seat]),
    bidder: shortName(names[bidder]),
    n: countWord(held),
  };
  if (caller === null) return t(held === 0 ? "moment.lie.none" : "moment.lie", values);
  return t(`moment.${outcomeOf(moment)}`, values);
}

function shortName(name = ""): string {
  return shorten(name, 18, "…");
}

/** What a moment was awarded for, with the chance of its bid or the count. */
export function momentNote(moment: Moment): string {
  const [award, { p, count, scene }] = [awardTitle(moment), moment];
  return scene.caller === null && p !== null
    ? t("moment.likely", { award, percent: capitalize(formatProbability(p)) })
    : t("moment.count", { award, n: countWord(count) });
}

/** What the film of a moment shows and says. Without `named` it names neither players nor the table. */
export function filmOf(
  rules: Ruleset | undefined,
  moment: Moment,
  { names, title, named }: { names: readonly string[]; title: string; named: boolean },
): Film {
  const { scene, p, round_number: round } = moment;
  const { caller, exact } = scene;
  const outcome = outcomeOf(moment);
  const values = { name: shortName(names[caller ?? 0]), round, title: shorten(title, 32, "…") };
  const place = named ? t("film.place", values) : t("name");
  const likely = caller === null && p !== null ? t("film.likely", { percent: capitalize(formatProbability(p)) }) : "";
  return {
    moment,
    names: named ? names : [],
    says: t("film.says"),
    bid: formatBid(rules, bidPair(moment.bid)),
    said: t("film.said"),
    there: t("film.there"),
    call: caller === null ? "" : callLabel(rules, exact ? "exact" : "challenge"),
    stamp: caller === null ? t("film.stamp.lie") : t(`reveal.stamp.${outcome}`),
    outcome,
    line: caller === null ? t("film.silence") : t(named ? `film.${outcome}` : `film.${outcome}.nameless`, values),
    note: [likely, place].filter(Boolean).join(" "),
  };
}

/** The name of a file with a film or still: the name of the table, unless that is left out, and the round. */
export function filmName({ names, moment }: Film, title: string): string {
  const words = names.length > 0 ? title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) : null;
  return [...(words ?? ["liarsdice"]), t("film.file"), moment.round_number].join("-");
}

/** The numbers that the table shows for what was left, by round and seat. */
export function shownRows(rules: Ruleset | undefined, left: readonly (readonly number[])[]): number[][] {
  return left.map((row) => row.map((count) => shownStakes(rules, count)));
}

/**
 * The path of a seat's dice over the rounds: `x` and `y` give the place of a row and of a number of dice. `out`: the
 * round in which the path ends, null if it goes to the last.
 */
export function dicePath(
  rows: readonly (readonly number[])[],
  seat: number,
  out: number | null,
  x: (row: number) => number,
  y: (dice: number) => number,
): string {
  const held = rows.map((row) => row[seat] ?? 0);
  const shown = out === null ? held : held.slice(0, out + 1);
  return shown
    .map((dice, row) => (row === 0 ? `M${round(x(0))} ${round(y(dice))}` : `H${round(x(row))}V${round(y(dice))}`))
    .join("");
}

/** The most dice that anybody held. */
export function mostDice(rows: readonly (readonly number[])[]): number {
  return Math.max(1, ...rows.flat());
}

/** The round in which a seat lost its last die, null if it never did. */
export function outInRound(rows: readonly (readonly number[])[], seat: number): number | null {
  const row = rows.findIndex((dice) => dice[seat] === 0);
  return row < 0 ? null : row;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A drawing on a canvas of this size. Throws if the browser cannot draw it. */
export async function toCanvas(svg: SVGSVGElement, width: number, height: number): Promise<HTMLCanvasElement> {
  const url = URL.createObjectURL(new Blob([standalone(svg, width, height)], { type: "image/svg+xml" }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
    return canvas;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** What a canvas shows as a PNG. Throws if the browser cannot write it. */
export async function toPng(canvas: HTMLCanvasElement, name: string): Promise<File> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("the picture is empty");
  return new File([blob], `${name}.png`, { type: blob.type });
}

/** The text of a drawing that contains everything that it refers to, such as a gradient. */
export function standalone(svg: SVGSVGElement, width: number, height: number): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.removeAttribute("class");
  const parts = document.createElementNS("http://www.w3.org/2000/svg", "defs");
  copy.prepend(parts);
  for (let wanted = missing(copy); wanted.length > 0; wanted = missing(copy)) {
    for (const part of wanted) parts.append(part.cloneNode(true));
  }
  return new XMLSerializer().serializeToString(copy);
}

/** Elements of the document that attributes of a drawing refer to and that it lacks. Texts, such as names, count not. */
function missing(svg: SVGSVGElement): Element[] {
  const parts = [svg, ...svg.querySelectorAll("*")];
  const references = parts.flatMap((part) =>
    [...part.attributes].map(({ value }) => /^(?:#([\w-]+)|url\(#([\w-]+)\))$/.exec(value)),
  );
  const ids = new Set(references.map((found) => found?.[1] ?? found?.[2] ?? ""));
  for (const { id } of parts) ids.delete(id);
  return [...ids].flatMap((id) => document.getElementById(id) ?? []);
}
