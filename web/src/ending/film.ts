/**
 * The film of a moment of a match: a bid, what the others said to it, and the dice. One function draws the picture at any
 * time, so that the preview, the film and the still are the same. Times are in milliseconds, places in pixels.
 */
import { isolate, shorten } from "../lib/i18n.svelte";
import { inEachFrame } from "../lib/frames";
import type { Stamp } from "../reveal/revealAnimation.svelte";
import { seatColor } from "../seats/avatarTraits";
import type { Moment } from "./story";

/** The width and the height of the picture. */
export const SIZE = 720;
export const FILM_MS = 6000;
const FRAMES_PER_S = 30;
export const FRAMES = (FILM_MS / 1000) * FRAMES_PER_S;

/** What a film shows and says. */
export interface Film {
  moment: Moment;
  /** By seat; empty if the film has no names. */
  names: readonly string[];
  says: string;
  bid: string;
  said: string;
  there: string;
  /** The word of the call, "" if nobody called. */
  call: string;
  stamp: string;
  outcome: Stamp;
  /** The end in one sentence, and where it was. */
  line: string;
  note: string;
}

/** The drawings of the table: players by seat, dice by face. */
export interface Pictures {
  faces: readonly CanvasImageSource[];
  dice: Readonly<Record<number, CanvasImageSource>>;
  cup: CanvasImageSource;
  font: string;
}

type Context = CanvasRenderingContext2D;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Place {
  x: number;
  y: number;
}

const CALLED_MS = 1500;
const FIRST_LIFT_MS = 2350;
const LIFTS_MS = 1150;
const OWN_LIFT_MS = 3650;
const STAMP_MS = 4450;
const LINE_MS = 4800;
const FLIGHT_MS = 260;

const [WHITE, DIM, BRASS] = ["#fbf5e8", "#d3e6dd", "#ffd27f"];
const STAMPS: Record<Stamp, readonly [ground: string, ink: string]> = {
  true: ["#a5e6bf", "#14402a"],
  exact: ["#f2b84f", "#3a2503"],
  liar: ["#b12f1c", "#ffffff"],
  not_exact: ["#b12f1c", "#ffffff"],
};

/** Draws the picture at a time. No hand is shown before its cup lifts, and the last picture says how it ended. */
export function drawFrame(context: Context, film: Film, pictures: Pictures, ms: number): void {
  context.save();
  context.textAlign = "center";
  context.imageSmoothingQuality = "high";
  drawFelt(context);
  const shake = ms > STAMP_MS + 200 ? Math.exp((STAMP_MS + 200 - ms) / 70) * Math.sin(ms / 14) * 7 : 0;
  context.translate(shake, shake / 2);
  const scene = new FilmScene(context, film, pictures, ms);
  scene.drawOthers();
  scene.drawSpot();
  scene.drawFaces();
  scene.drawScore();
  scene.drawOwn();
  scene.drawWord();
  scene.drawAnswer();
  scene.drawFlights();
  scene.drawStamp();
  scene.drawLine();
  context.restore();
}

/** A cup with its dice: when it lifts, where its dice lie, and when those that count have come to the slots of the bid. */
interface Cup {
  seat: number;
  dice: readonly number[];
  places: readonly Place[];
  size: number;
  liftMs: number;
  marked: readonly number[];
  /** When each marked die is counted. */
  counted: readonly number[];
  /** What the hand counts for beyond its dice. */
  bonus: number;
}

interface Cell {
  seat: number;
  box: Box;
}

/** One picture. */
class FilmScene {
  readonly #bidder: number;
  readonly #caller: number | null;
  readonly #cells: readonly Cell[];
  readonly #cups: readonly Cup[];
  readonly #ownBox: Box;
  readonly #stampBox: Box;
  readonly #labelHeight: number;

  constructor(
    private readonly context: Context,
    private readonly film: Film,
    private readonly pictures: Pictures,
    private readonly ms: number,
  ) {
    const { bidder, caller, hands } = film.moment.scene;
    [this.#bidder, this.#caller] = [bidder, caller];
    const others = hands
      .map((_, index) => (bidder + 1 + index) % hands.length)
      .filter((seat) => seat !== bidder && (hands[seat]?.length ?? 0) > 0);
    const rows = others.length > 5 ? 2 : 1;
    this.#labelHeight = rows > 1 ? 30 : 40;
    this.#ownBox = { x: 110, y: 303, width: 500, height: rows > 1 ? 52 : 76 };
    this.#stampBox = { x: 90, y: rows > 1 ? 363 : 388, width: 540, height: rows > 1 ? 58 : 82 };
    this.#cells = cellsOf(others, rows, { x: 36, y: rows > 1 ? 438 : 482, width: 648, height: rows > 1 ? 176 : 132 });
    const longest = Math.max(1, ...others.map((seat) => hands[seat]?.length ?? 0));
    const first = this.#cells[0] && this.#diceBox(this.#cells[0]);
    const most = first ? grid(longest, first, rows > 1 ? 40 : 54).size : 0;
    const step = others.length > 1 ? Math.min(450, LIFTS_MS / (others.length - 1)) : 0;
    this.#cups = [
      ...this.#cells.map((cell, index) =>
        this.#cup(cell.seat, FIRST_LIFT_MS + index * step, this.#diceBox(cell), most),
      ),
      this.#cup(bidder, OWN_LIFT_MS, this.#ownBox, rows > 1 ? 50 : 64),
    ];
  }

  #diceBox({ box }: Cell): Box {
    return { x: box.x + 12, y: box.y, width: box.width - 24, height: box.height - this.#labelHeight };
  }

  #cup(seat: number, liftMs: number, box: Box, most: number): Cup {
    const { hands, marked, counted } = this.film.moment.scene;
    const dice = hands[seat] ?? [];
    const own = marked[seat] ?? [];
    const gap = Math.min(90, 400 / Math.max(1, own.length));
    return {
      seat,
      dice,
      ...grid(dice.length, box, most),
      liftMs,
      marked: own,
      counted: own.map((_, index) => liftMs + 340 + index * gap),
      bonus: (counted[seat] ?? 0) - own.length,
    };
  }

  /** The dice in the slots, in the order in which they come. A bonus has the face of the bid. */
  get #arrivals(): { die: number; ms: number; from: Place; size: number }[] {
    return this.#cups.flatMap(({ dice, places, size, marked, counted, bonus, liftMs }) => {
      const come = (place: number, ms: number): { die: number; ms: number; from: Place; size: number } => ({
        die: dice[place] ?? 1,
        ms,
        from: places[place] ?? { x: SIZE / 2, y: SIZE / 2 },
        size,
      });
      const last = counted.at(-1) ?? liftMs + 340;
      return [
        ...marked.map((place, index) => come(place, counted[index] ?? last)),
        ...Array.from({ length: bonus }, () => ({ ...come(0, last), die: this.film.moment.bid.face })),
      ];
    });
  }

  /** The slots of the bid, one more for each die beyond it. */
  get #slots(): Grid {
    const arrived = this.#arrivals.filter(({ ms }) => ms <= this.ms).length;
    const slots = Math.max(this.film.moment.bid.quantity, arrived);
    return grid(slots, { x: 60, y: 236, width: 600, height: 58 }, 50);
  }

  /** Cups, dice and names of all but the bidder. */
  drawOthers(): void {
    const { context, ms } = this;
    for (const [index, { seat, box }] of this.#cells.entries()) {
      const cup = this.#cups[index];
      const middle = box.x + box.width / 2;
      const bottom = box.y + box.height - this.#labelHeight;
      this.#drawLabel(seat, middle, box);
      if (cup) {
        this.#drawDice(cup);
        const height = Math.min(bottom - box.y, 100);
        const width = height / 1.1;
        this.#drawCup(cup.liftMs, { x: middle - width / 2, y: bottom - height, width, height });
      }
      if (this.#caller !== null) continue;
      const pause = Math.min(130, 520 / this.#cells.length);
      const grown = along(ms, [0, 0], [CALLED_MS + index * pause, 0], [CALLED_MS + 160 + index * pause, 1]);
      this.#faded(grown * along(ms, [0, 1], [FIRST_LIFT_MS - 200, 1], [FIRST_LIFT_MS - 50, 0]), () => {
        const small = this.#labelHeight < 40;
        context.translate(middle + (small ? 28 : 36), box.y + (small ? 14 : 6));
        context.scale(grown * (small ? 0.7 : 1), grown * (small ? 0.7 : 1));
        context.fillStyle = WHITE;
        context.beginPath();
        context.roundRect(-29, -19, 58, 36, 18);
        context.fill();
        context.fillStyle = "#2a1f15";
        for (const dot of [-14, 0, 14]) disc(context, dot, -1, 4.2);
      });
    }
  }

  /** Darkness around whoever acts: the bidder, and later their cup. */
  drawSpot(): void {
    const { context, ms } = this;
    const dark = along(
      ms,
      [0, 1],
      [CALLED_MS - 150, 1],
      [CALLED_MS + 150, 0],
      [3450, 0],
      [3600, 0.8],
      [4050, 0.8],
      [4350, 0],
    );
    this.#faded(dark, () => {
      const [y, radius] = ms < CALLED_MS + 200 ? [180, 330] : [250, 300];
      const shade = context.createRadialGradient(SIZE / 2, y, radius * 0.45, SIZE / 2, y, radius * 1.5);
      shade.addColorStop(0, "rgb(3 9 7 / 0)");
      shade.addColorStop(1, "rgb(3 9 7 / 0.72)");
      context.fillStyle = shade;
      rounded(context, 14, 42);
      context.fill();
    });
  }

  /** The bidder, and whoever calls beside them. */
  drawFaces(): void {
    const { ms } = this;
    const called = this.#caller === null ? 0 : along(ms, [0, 0], [CALLED_MS - 80, 0], [CALLED_MS + 260, 1]);
    const room = this.#caller === null ? 330 : 182;
    const pop = along(ms, [0, 0.9], [200, 1.06], [320, 1]); // chats show the first picture before they play
    this.#drawFace(this.#bidder, SIZE / 2 - 98 * called, pop, room);
    if (this.#caller !== null && called > 0) this.#drawFace(this.#caller, SIZE / 2 + 98, called, room);
  }

  /** What was said and what is there, in numbers and as slots. */
  drawScore(): void {
    const { context, ms, film } = this;
    const { quantity, face } = film.moment.bid;
    const arrived = this.#arrivals.filter((arrival) => arrival.ms <= ms);
    this.#faded(along(ms, [0, 0], [FIRST_LIFT_MS - 250, 0], [FIRST_LIFT_MS, 1]), () => {
      this.#text(film.said, 108, 72, { size: 24, width: 130, color: DIM });
      this.#text(film.there, SIZE - 108, 72, { size: 24, width: 130, color: DIM });
      const style = { size: quantity > 9 ? 58 : 66, width: 90, weight: 700 };
      const [, wide] = this.#fitted(String(quantity), style);
      const left = 104 - (wide + 8 + 48) / 2;
      this.#text(String(quantity), left + wide / 2, 138, style);
      context.drawImage(this.#die(face), left + wide + 8, 93, 48, 48);
      const bump = Math.max(0, ...arrived.map((arrival) => 1 - (ms - arrival.ms) / 180)) * 0.22;
      context.translate(SIZE - 108, 138);
      context.scale(1 + bump, 1 + bump);
      this.#text(String(arrived.length), 0, 0, { size: 66, width: 110, weight: 700, color: BRASS });
    });
    const { size, places } = this.#slots;
    this.#faded(along(ms, [0, 0], [FIRST_LIFT_MS - 150, 0], [FIRST_LIFT_MS + 50, 1]), () => {
      for (const [index, { x, y }] of places.entries()) {
        const arrival = arrived[index];
        if (arrival) {
          context.drawImage(this.#die(arrival.die), x, y, size, size);
          continue;
        }
        context.fillStyle = "rgb(0 0 0 / 0.22)";
        context.strokeStyle = "rgb(251 245 232 / 0.5)";
        context.lineWidth = 2;
        context.setLineDash([size / 7, size / 9]);
        context.beginPath();
        context.roundRect(x + 1, y + 1, size - 2, size - 2, size * 0.23);
        context.fill();
        context.stroke();
      }
      context.setLineDash([]);
    });
  }

  /** The bidder's own cup, which lifts last. */
  drawOwn(): void {
    const cup = this.#cups.at(-1);
    if (!cup) return;
    const { x, y, width, height } = this.#ownBox;
    const tall = height * 1.5;
    this.#faded(along(this.ms, [0, 0], [FIRST_LIFT_MS - 100, 0], [FIRST_LIFT_MS + 150, 1]), () => {
      this.#drawDice(cup);
      const wide = tall / 1.1;
      this.#drawCup(cup.liftMs, { x: x + (width - wide) / 2, y: y + height - tall * 0.9, width: wide, height: tall });
    });
  }

  /** The bid in words. */
  drawWord(): void {
    const { context, ms, film } = this;
    const gone = this.#caller === null ? FIRST_LIFT_MS - 250 : CALLED_MS - 60;
    this.#faded(along(ms, [0, 0], [250, 0], [400, 1], [gone - 60, 1], [gone + 170, 0]), () => {
      const scale = along(ms, [0, 0.2], [250, 0.2], [560, 1.08], [700, 1], [gone - 60, 1], [gone + 170, 0.8]);
      context.translate(SIZE / 2, 330 - along(ms, [0, 0], [gone - 60, 0], [gone + 170, 46]));
      context.rotate(along(ms, [0, -0.2], [250, -0.2], [700, 0]));
      context.scale(scale, scale);
      this.#text(film.says, 0, -62, { size: 30, width: 500, color: DIM });
      this.#text(film.bid, 0, 24, { size: 88, width: 620, weight: 700 });
    });
  }

  /** The word of the call, which crosses the table as in a reveal. */
  drawAnswer(): void {
    const { context, ms, film } = this;
    if (this.#caller === null) return;
    const from = this.#cells.find(({ seat }) => seat === this.#caller)?.box;
    const start = { x: from ? from.x + from.width / 2 : SIZE / 2 + 98, y: from ? from.y : 118 };
    const [end, way] = [FIRST_LIFT_MS - 90, along(ms, [0, 0], [CALLED_MS, 0], [CALLED_MS + 260, 1])];
    this.#faded(along(ms, [0, 0], [CALLED_MS, 0], [CALLED_MS + 90, 1], [end - 110, 1], [end + 90, 0]), () => {
      context.translate(start.x + (SIZE / 2 - start.x) * way, start.y + (340 - start.y) * way);
      context.rotate(along(ms, [0, -0.24], [CALLED_MS, -0.24], [CALLED_MS + 260, -0.07]));
      const scale = along(
        ms,
        [0, 0.14],
        [CALLED_MS, 0.14],
        [CALLED_MS + 260, 1.1],
        [CALLED_MS + 360, 1],
        [end, 1],
        [end + 90, 1.3],
      );
      context.scale(scale, scale);
      this.#text(film.call, 0, 30, { size: 112, width: 560, weight: 700, color: seatColor(this.#caller ?? 0) });
    });
  }

  /** Dice on their way from a hand to a slot. */
  drawFlights(): void {
    const { places, size } = this.#slots;
    for (const [index, arrival] of this.#arrivals.entries()) {
      const share = (this.ms - arrival.ms + FLIGHT_MS) / FLIGHT_MS;
      const to = places[Math.min(index, places.length - 1)];
      if (share <= 0 || share >= 1 || !to) continue;
      const way = share * share * (3 - 2 * share);
      const wide = arrival.size + (size - arrival.size) * way + Math.sin(share * Math.PI) * 12;
      const lift = Math.sin(share * Math.PI) * 26;
      this.context.drawImage(
        this.#die(arrival.die),
        arrival.from.x + (to.x - arrival.from.x) * way,
        arrival.from.y + (to.y - arrival.from.y) * way - lift,
        wide,
        wide,
      );
    }
  }

  drawStamp(): void {
    const { context, ms, film } = this;
    const { x, y, width, height } = this.#stampBox;
    const [ground, ink] = STAMPS[film.outcome];
    this.#faded(along(ms, [0, 0], [STAMP_MS, 0], [STAMP_MS + 120, 1]), () => {
      context.translate(x + width / 2, y + height / 2);
      const wave = (ms - STAMP_MS - 210) / 520;
      if (wave > 0 && wave < 1) {
        context.strokeStyle = `rgb(255 255 255 / ${String(0.7 * (1 - wave))})`;
        context.lineWidth = 9;
        context.beginPath();
        context.arc(0, 0, 60 + 300 * wave, 0, 2 * Math.PI);
        context.stroke();
      }
      const scale = along(ms, [0, 3.1], [STAMP_MS, 3.1], [STAMP_MS + 210, 0.94], [STAMP_MS + 290, 1]);
      context.scale(scale, scale);
      context.font = `700 ${String(height * 0.74)}px ${this.pictures.font}`;
      const wide = Math.min(width - 60, context.measureText(film.stamp).width);
      const tilt = -Math.min(0.08, 12 / (wide / 2 + 28)); // a long word keeps off the dice above and below
      context.rotate(along(ms, [0, tilt * 3.5], [STAMP_MS, tilt * 3.5], [STAMP_MS + 210, tilt]));
      context.shadowColor = "rgb(0 0 0 / 0.5)";
      context.shadowBlur = 22;
      context.shadowOffsetY = 6;
      context.fillStyle = ground;
      context.beginPath();
      context.roundRect(-wide / 2 - 28, -height / 2, wide + 56, height, 14);
      context.fill();
      context.shadowColor = "transparent";
      context.strokeStyle = ink;
      context.lineWidth = 4;
      context.beginPath();
      context.roundRect(-wide / 2 - 21, -height / 2 + 7, wide + 42, height - 14, 9);
      context.stroke();
      this.#text(film.stamp, 0, height * 0.265, {
        size: height * 0.74,
        width: width - 60,
        weight: 700,
        color: ink,
        flat: true,
      });
    });
  }

  /** How it ended, in a sentence. */
  drawLine(): void {
    const { context, ms, film } = this;
    this.#faded(along(ms, [0, 0], [LINE_MS, 0], [LINE_MS + 250, 1]), () => {
      context.translate(0, along(ms, [0, 14], [LINE_MS, 14], [LINE_MS + 250, 0]));
      this.#text(film.line, SIZE / 2, 653, { size: 35, width: 640, weight: 700 });
      this.#text(film.note, SIZE / 2, 685, { size: 23, width: 640, color: DIM });
    });
  }

  #drawFace(seat: number, x: number, scale: number, room: number): void {
    const { context } = this;
    const [y, radius] = [112, 66];
    this.#faded(Math.min(1, scale * 1.5), () => {
      context.translate(x, y);
      context.scale(scale, scale);
      this.#portrait(seat, 0, 0, radius);
      this.#text(this.film.names[seat] ?? "", 0, radius + 42, { size: 31, width: room, weight: 700, least: 20 });
    });
  }

  #portrait(seat: number, x: number, y: number, radius: number): void {
    const { context } = this;
    const face = this.pictures.faces[seat];
    context.fillStyle = seatColor(seat);
    disc(context, x, y, radius + Math.max(2, radius * 0.07));
    if (!face) return;
    context.save();
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.clip();
    context.drawImage(face, x - radius, y - radius, 2 * radius, 2 * radius);
    context.restore();
  }

  /** The face and the name of a player under their cup. */
  #drawLabel(seat: number, middle: number, box: Box): void {
    const { context } = this;
    const radius = this.#labelHeight / 2 - 3;
    const y = box.y + box.height - radius - 1;
    const name = this.film.names[seat] ?? "";
    const size = this.#labelHeight > 32 ? 24 : 19;
    const room = box.width - 2 * radius - 18;
    const [shown, wide] = this.#fitted(name, { size, width: room, weight: 600, least: 17 });
    const left = middle - (2 * radius + (name ? 8 + wide : 0)) / 2;
    this.#portrait(seat, left + radius, y, radius);
    context.fillStyle = WHITE;
    context.textAlign = "left";
    context.fillText(shown, left + 2 * radius + 8, y + size * 0.35);
    context.textAlign = "center";
  }

  /** The dice of a hand once its cup lifts. Those that count leave it, and the others grow dim. */
  #drawDice({ dice, places, size, liftMs, marked, counted }: Cup): void {
    const { context, ms } = this;
    if (ms < liftMs + 40) return;
    const shown = along(ms, [liftMs + 40, 0], [liftMs + 160, 1]);
    const dim = along(ms, [liftMs + 260, 1], [liftMs + 520, 0.38]);
    for (const [place, die] of dice.entries()) {
      const { x, y } = places[place] ?? { x: 0, y: 0 };
      const at = counted[marked.indexOf(place)];
      this.#faded(shown * (at === undefined ? dim : 1), () => {
        context.drawImage(this.#die(die), x, y, size, size);
        if (at === undefined || ms < at - FLIGHT_MS) return;
        context.strokeStyle = BRASS;
        context.lineWidth = Math.max(2.5, size * 0.09);
        context.beginPath();
        context.roundRect(x, y, size, size, size * 0.23);
        context.stroke();
      });
    }
  }

  /** A cup, which lifts and is gone. The last one trembles before. */
  #drawCup(liftMs: number, { x, y, width, height }: Box): void {
    const { context, ms } = this;
    const share = along(ms, [liftMs, 0], [liftMs + 420, 1]);
    if (share >= 1) return;
    const tremble =
      liftMs === OWN_LIFT_MS && ms > liftMs - 330 && ms < liftMs ? Math.sin((ms - liftMs) / 17) * 0.06 : 0;
    this.#faded(Math.min(1, 2.4 * (1 - share)), () => {
      context.translate(x + width / 2, y + height - share * height * 0.95);
      context.rotate(tremble - share * 0.22);
      context.drawImage(this.pictures.cup, -width / 2, -height, width, height);
    });
  }

  #die(face: number): CanvasImageSource {
    return this.pictures.dice[face] ?? this.pictures.cup;
  }

  #faded(alpha: number, draw: () => void): void {
    if (alpha <= 0) return;
    this.context.save();
    this.context.globalAlpha *= Math.min(1, alpha);
    draw();
    this.context.restore();
  }

  /** Sets the font that lets a text fit; one that is too long for the least size is shortened. Returns it and its width. */
  #fitted(text: string, { size, width, weight = 400, least = size * 0.5 }: TextStyle): [string, number] {
    const { context } = this;
    const measure = (shown: string, px: number): number => {
      context.font = `${String(weight)} ${String(px)}px ${this.pictures.font}`;
      return context.measureText(shown).width;
    };
    const natural = measure(text, size);
    if (natural <= width) return [isolate(text), natural];
    const small = Math.max(least, (size * width) / natural);
    let shown = text;
    for (let most = Array.from(text).length; most > 1 && measure(shown, small) > width; most -= 1)
      shown = shorten(text, most, "…");
    return [isolate(shown), measure(shown, small)];
  }

  #text(text: string, x: number, y: number, style: TextStyle): void {
    const { context } = this;
    const [shown] = this.#fitted(text, style);
    context.fillStyle = style.color ?? WHITE;
    if (!style.flat) {
      context.shadowColor = "rgb(0 0 0 / 0.55)";
      context.shadowBlur = 6;
      context.shadowOffsetY = 2;
    }
    context.fillText(shown, x, y);
    context.shadowColor = "transparent";
  }
}

interface TextStyle {
  size: number;
  width: number;
  weight?: number;
  color?: string;
  /** The least size, before characters are left out. */
  least?: number;
  /** Without a shadow. */
  flat?: boolean;
}

interface Grid {
  size: number;
  places: Place[];
}

/** Squares in rows in the middle of a box, as large as fit, at most `most`. */
function grid(count: number, { x, y, width, height }: Box, most: number): Grid {
  const GAP = 0.16;
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const size = Math.min(most, width / (columns * (1 + GAP) - GAP), height / (rows * (1 + GAP) - GAP));
    // of equal sizes, the one with rows that are filled best
    if (size > best.size + 0.01 || (size > best.size - 0.01 && rows < Math.ceil(count / best.columns)))
      best = { size, columns };
  }
  const { size } = best;
  const rows = Math.ceil(count / best.columns);
  const columns = Math.ceil(count / Math.max(1, rows));
  const step = size * (1 + GAP);
  const top = y + (height - rows * step + size * GAP) / 2;
  const places = Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, count - row * columns);
    const left = x + (width - inRow * step + size * GAP) / 2;
    return { x: left + (index - row * columns) * step, y: top + row * step };
  });
  return { size, places };
}

/** The boxes of players in one or two rows. */
function cellsOf(seats: readonly number[], rows: number, { x, y, width, height }: Box): Cell[] {
  const columns = Math.ceil(seats.length / rows);
  const wide = Math.min(width / columns, 300);
  const gap = rows > 1 ? 8 : 0;
  const tall = (height - gap) / rows;
  return seats.map((seat, index) => {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, seats.length - row * columns);
    const left = x + (width - inRow * wide) / 2 + (index - row * columns) * wide;
    return { seat, box: { x: left, y: y + row * (tall + gap), width: wide, height: tall } };
  });
}

/** The value at a time between given ones, slower towards each of them. */
function along(ms: number, ...keys: readonly (readonly [ms: number, value: number])[]): number {
  const next = keys.findIndex(([at]) => at > ms);
  const [from, to] = [keys[next < 0 ? keys.length - 1 : next - 1], keys[next]];
  if (!from) return to?.[1] ?? 0;
  if (!to) return from[1];
  const share = 1 - (1 - (ms - from[0]) / (to[0] - from[0])) ** 3;
  return from[1] + (to[1] - from[1]) * share;
}

function disc(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** Begins a path around the whole picture, so far from its edge. */
function rounded(context: Context, inset: number, radius: number): void {
  context.beginPath();
  context.roundRect(inset, inset, SIZE - 2 * inset, SIZE - 2 * inset, radius);
}

/** The wood of the table, and the felt in it. */
function drawFelt(context: Context): void {
  const wood = context.createLinearGradient(0, 0, SIZE, SIZE);
  wood.addColorStop(0, "#8b5d36");
  wood.addColorStop(0.4, "#643f23");
  wood.addColorStop(1, "#38220f");
  context.fillStyle = wood;
  context.fillRect(0, 0, SIZE, SIZE);
  const felt = context.createRadialGradient(SIZE / 2, SIZE * 0.36, 0, SIZE / 2, SIZE * 0.36, SIZE * 0.78);
  felt.addColorStop(0, "#2c6f5e");
  felt.addColorStop(0.58, "#17493d");
  felt.addColorStop(1, "#0a231c");
  context.fillStyle = felt;
  rounded(context, 14, 42);
  context.fill();
  context.strokeStyle = "rgb(242 184 79 / 0.38)";
  context.lineWidth = 2;
  rounded(context, 24, 34);
  context.stroke();
}

const PIPS: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  2: [[0.71, 0.29], [0.29, 0.71]],
  3: [[0.72, 0.28], [0.5, 0.5], [0.28, 0.72]],
  4: [[0.29, 0.29], [0.71, 0.29], [0.29, 0.71], [0.71, 0.71]],
  5: [[0.28, 0.28], [0.72, 0.28], [0.5, 0.5], [0.28, 0.72], [0.72, 0.72]],
  6: [[0.29, 0.25], [0.71, 0.25], [0.29, 0.5], [0.71, 0.5], [0.29, 0.75], [0.71, 0.75]],
}; // prettier-ignore

/** Draws a die as the table does. `star`: a star stands for the one. */
export function drawDie(context: Context, face: number, size: number, { star = false, font = "" } = {}): void {
  const body = context.createLinearGradient(size * 0.33, 0, size * 0.67, size);
  body.addColorStop(0, "#fffdf7");
  body.addColorStop(0.6, "#f9f3e5");
  body.addColorStop(1, "#eee3cb");
  const edge = (inset: number): void => {
    context.beginPath();
    context.roundRect(inset, inset, size - 2 * inset, size - 2 * inset, size * 0.23 - inset);
  };
  context.fillStyle = body;
  edge(0);
  context.fill();
  context.strokeStyle = "rgb(226 209 174 / 0.55)";
  context.lineWidth = size * 0.06;
  edge(size * 0.055);
  context.stroke();
  context.strokeStyle = "#8f7c5c";
  context.lineWidth = size / 40;
  edge(size / 80);
  context.stroke();
  context.fillStyle = context.strokeStyle = "#201812";
  if (face > 6 || (face === 1 && star)) {
    context.font = `700 ${String(size * 0.58)}px ${font}`;
    context.textAlign = "center";
    context.fillText(face === 1 ? "★" : String(face), size / 2, size * 0.71);
  } else if (face === 1) {
    disc(context, size / 2, size / 2, size * 0.1);
    context.lineWidth = size * 0.03;
    context.beginPath();
    context.arc(size / 2, size / 2, size * 0.165, 0, 2 * Math.PI);
    context.stroke();
  } else for (const [x, y] of PIPS[face] ?? []) disc(context, x * size, y * size, size * 0.095);
}

/** Formats of films; the first is the one that most chats play. */
const FORMATS = ["video/mp4;codecs=avc1.42E01F", "video/mp4", "video/webm;codecs=vp9", "video/webm"];

/** The format in which this browser makes films, undefined if it makes none. */
export function filmFormat(): string | undefined {
  if (!("MediaRecorder" in globalThis) || !("captureStream" in HTMLCanvasElement.prototype)) return undefined;
  return FORMATS.find((format) => MediaRecorder.isTypeSupported(format));
}

/**
 * Records a canvas for six seconds while `draw` draws each time on it. It pauses while the page is hidden. Returns null
 * if it was stopped by the signal.
 */
export async function recordFilm(
  canvas: HTMLCanvasElement,
  format: string,
  draw: (ms: number) => void,
  signal: AbortSignal,
): Promise<Blob | null> {
  const stream = canvas.captureStream(FRAMES_PER_S);
  const recorder = new MediaRecorder(stream, { mimeType: format, videoBitsPerSecond: 2_500_000 });
  const parts: Blob[] = [];
  const pause = (): void => {
    if (recorder.state === "inactive") return;
    if (document.hidden) recorder.pause();
    else recorder.resume();
  };
  document.addEventListener("visibilitychange", pause);
  try {
    await new Promise<void>((resolve, reject) => {
      recorder.ondataavailable = ({ data }) => void parts.push(data);
      recorder.onstop = () => resolve();
      recorder.onerror = () => reject(new Error("the film cannot be recorded"));
      draw(0);
      recorder.start();
      let [elapsed, last] = [0, performance.now()];
      inEachFrame(() => {
        const now = performance.now();
        if (recorder.state === "recording") elapsed += Math.min(now - last, 250);
        last = now;
        const frame = Math.min(FRAMES, Math.floor((elapsed * FRAMES_PER_S) / 1000));
        if (!signal.aborted) draw((frame * 1000) / FRAMES_PER_S);
        if (recorder.state === "inactive") return false;
        const goes = !signal.aborted && elapsed < FILM_MS + 1000 / FRAMES_PER_S;
        if (!goes) recorder.stop();
        return goes;
      });
    });
  } finally {
    document.removeEventListener("visibilitychange", pause);
    for (const track of stream.getTracks()) track.stop();
  }
  return signal.aborted ? null : new Blob(parts, { type: format.split(";")[0] ?? "" });
}
