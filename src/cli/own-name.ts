/** How the person at this terminal starts our commands: a checkout has no `hermes` on the path. */
import { io } from "./io.js";

export function ownName(): string {
  return io().env.npm_command === undefined ? "hermes" : "npx hermes";
}
