/** Times as people say them. All are epoch seconds. */

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const dayWithYear = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });

export function clockTime(at) {
  return clock.format(at * 1000);
}

export function dayName(at) {
  const date = new Date(at * 1000);
  const today = new Date();
  const yesterday = new Date(today);
  yesterday.setDate(today.getDate() - 1);
  if (date.toDateString() === today.toDateString()) return "Today";
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  return (date.getFullYear() === today.getFullYear() ? day : dayWithYear).format(date);
}

/** "14:05" today, a day else. */
export function shortWhen(at) {
  const name = dayName(at);
  return name === "Today" ? clockTime(at) : name;
}
