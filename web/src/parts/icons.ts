/** The line icons: each one path on a field of 24 by 24, stroked and not filled. */
export const ICONS = {
  again: "M5 12a7 7 0 1 1 2.2 5.1M5 19v-4.5h4.5",
  back: "M14.5 5.5L8 12l6.5 6.5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  copy: "M9 9h10v10H9zM15 9V5H5v10h4",
  forth: "M9.5 5.5L16 12l-6.5 6.5",
  graph: "M4 4v16h16M7.5 15l4-5 3 2.5L19.5 6",
  menu: "M5 7h14M5 12h14M5 17h14",
  minus: "M5 12h14",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  mute: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  play: "M8 5.5v13l10.5-6.5z",
  plus: "M12 5v14M5 12h14",
  print: "M7 9V4h10v5M7 17H4.5V9.5h15V17H17M7 14h10v6H7z",
  rules: "M6 4h12v16H6zM9.5 8.5h5M9.5 12h5M9.5 15.5h3",
  save: "M12 4v11M8 11.5l4 3.5 4-3.5M5 19.5h14",
  send: "M5 12h13M12.5 6l6 6-6 6",
  share: "M12 15V4M8 7.5L12 4l4 3.5M6 11H5v9h14v-9h-1",
  shield: "M12 3.5l7 2.5v5.5q0 6-7 9-7-3-7-9V6zM9 12l2.3 2.3L15.3 10",
  sound: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9q2.5 3 0 6M18.2 6.5q4.6 5.5 0 11",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  talk: "M4 5h16v11h-9l-5 4v-4H4z",
  x: "M6.5 6.5l11 11M17.5 6.5l-11 11",
};

export type IconName = keyof typeof ICONS;
