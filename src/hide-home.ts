/** Removes the path of the home from text that leaves the machine. */
export function hideHome(text: string, home: string): string {
  return text.replaceAll(`${home}/`, "").replaceAll(home, "the home");
}
