/** For texts that leave the machine: names in the home instead of where it is. */
export function hideHome(text: string, home: string): string {
  return text.replaceAll(`${home}/`, "").replaceAll(home, "the home");
}
