/** `${VAR}`, `${env:VAR}` (as in Hermes Agent) and `${VAR:-default}` in the strings of the file; `$${` is a plain `${`. */

export interface Expanded {
  text: string;
  /** What could not be expanded. */
  problems: string[];
}

const PLACE = /\$\$\{|\$\{(?:(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})?/g;

export function expand(text: string, variable: (name: string) => string | undefined): Expanded {
  const problems: string[] = [];
  const expanded = text.replace(PLACE, (place: string, name?: string, fallback?: string) => {
    if (place === "$${") return "${";
    if (name === undefined) {
      problems.push(`an unfinished variable (write \${NAME} or \${NAME:-default}, and $\${ for a plain \${)`);
      return place;
    }
    const value = variable(name);
    // As in a shell, `:-` also replaces an empty variable.
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined)
      problems.push(`the variable ${name} is not set (set it, or write \${${name}:-default})`);
    return value ?? place;
  });
  return { text: expanded, problems };
}
