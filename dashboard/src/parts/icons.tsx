const PATHS = {
  pulse: "M3 12h4l2.5-7 5 14L17 12h4",
  chat: "M20 15a2 2 0 0 1-2 2H9l-5 4V6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2z",
  path: "M6 3.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM18 15.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM6 8.5V14a4 4 0 0 0 4 4h5.5",
  bars: "M5 20V11M12 20V4M19 20v-6",
  letter: "M4 6h16v12H4zM4 7l8 6 8-6",
  key: "M14.5 9.5a4.5 4.5 0 1 0-3.2 4.3L13 15.5h2.5V18H18v2.5h3V17l-6.6-6.6z",
  sliders: "M4 7h9M19 7h1M4 17h2M12 17h8M16 4.5v5M9 14.5v5",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  screen: "M4 5h16v11H4zM9 20h6M12 16v4",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20",
  back: "M15 5l-7 7 7 7",
  chevron: "M9 6l6 6-6 6",
  tool: "M14.7 6.3a4 4 0 0 0-5.2 5.2L4 17l3 3 5.5-5.5a4 4 0 0 0 5.2-5.2l-2.6 2.6-2.4-.6-.6-2.4z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  retry: "M20 11a8 8 0 1 0-2.3 6.7M20 5v6h-6",
  warning: "M12 4l9 16H3zM12 10v4.5M12 17.4v.1",
  branch: "M7 4v16M7 14c6 0 10-2 10-8M14.5 7.5L17 5l2.5 2.5",
  plus: "M12 5v14M5 12h14",
  dots: "M5 12h.01M12 12h.01M19 12h.01",
  pin: "M9 4h6l-1 6 3.5 3.5h-11L10 10zM12 13.5V20",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v6M13.5 10.5v6",
  pencil: "M5 19l.9-3.6L16 5.3l2.7 2.7L8.6 18.1zM14 7.3l2.7 2.7",
  share: "M12 15V4M8 7.5L12 3.5l4 4M6 12H5v8h14v-8h-1",
  download: "M12 4v11M8 11.5l4 4 4-4M5 20h14",
  copy: "M9 9h10v11H9zM6 15H5V4h10v2",
  stop: "M8 8h8v8H8z",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  clip: "M19 11.5l-7.4 7.4a4.6 4.6 0 0 1-6.5-6.5l8-8a3.1 3.1 0 0 1 4.4 4.4l-8 8a1.6 1.6 0 0 1-2.2-2.2l7-7",
  file: "M6 3.5h8l4 4v13H6zM14 3.5v4h4",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5c.8-4 3.7-6 7.5-6s6.7 2 7.5 6",
  logout: "M10 4H5v16h5M15 8l4 4-4 4M9 12h10",
  gauge: "M4 16a8 8 0 1 1 16 0M12 16l4-5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, small }: { name: IconName; small?: boolean }) {
  return (
    <svg class={small ? "icon small" : "icon"} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
