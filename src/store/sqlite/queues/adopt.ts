import type { Database } from "better-sqlite3";
import type { Adopted } from "../../queues.js";
import { write } from "../verb.js";
import { adoptPairings } from "./pairing.js";
import { adoptRoutes } from "./routes.js";

export const adopt = write(function adopt(
  db: Database,
  { routes = [], people = [] }: Adopted,
): { routes: number; people: number } {
  return { routes: adoptRoutes(db, routes), people: adoptPairings(db, people) };
});
