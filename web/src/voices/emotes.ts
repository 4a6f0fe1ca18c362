/** The six emotes. A line of table talk that is one of these characters is shown as a picture. */
export const EMOTES = { laugh: "😂", gasp: "😱", doubt: "🤨", sweat: "😅", cry: "😭", cheers: "🍻" } as const;
export type Emote = keyof typeof EMOTES;
export const EMOTE_NAMES = Object.keys(EMOTES) as Emote[];

/** The emote that a line of table talk is, null if it is an ordinary one. */
export function emoteOf(text: string): Emote | null {
  return EMOTE_NAMES.find((name) => EMOTES[name] === text) ?? null;
}
