/** The time zone in which it is about noon now, without daylight saving: far from midnight and from the daily reset at 4:00. */
export function noonZone(now: Date): string {
  // POSIX counts westwards: Etc/GMT+5 is five hours behind UTC.
  const behind = now.getUTCHours() - 12;
  if (behind === 0) return "Etc/GMT";
  return behind > 0 ? `Etc/GMT+${behind}` : `Etc/GMT${behind}`;
}
