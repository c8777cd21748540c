import { Command } from "commander";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { SessionSummary } from "../../session.js";
import type { Store } from "../../store/store.js";
import { oneLine, padToCells, shorten } from "../cells.js";
import { io } from "../io.js";
import { withStore } from "../open.js";
import { jsonOption, sourceOption, wholeNumber } from "../options.js";
import { colors, isInteractive, print } from "../output.js";
import { relativeTime } from "../times.js";
import { sourceFilter } from "./list.js";
import { show } from "./show.js";

interface BrowseOptions {
  source?: string;
  limit: number;
  json?: boolean;
}

const RECENT_SHOWN = 10;
const LABEL_CELLS = 44;

export function browseCommand(): Command {
  return new Command("browse")
    .description("Pick a session from a list that narrows as you type")
    .addOption(sourceOption())
    .option("--limit <n>", "how many to choose from", wholeNumber(1), 500)
    .addOption(jsonOption())
    .action(browse);
}

async function browse(options: BrowseOptions): Promise<void> {
  if (!isInteractive()) {
    throw new HermesError("refused", "Browsing needs a terminal.", {
      hint: "Use `hermes sessions list` instead.",
    });
  }
  await withStore(
    (store) => pickAndShow(store, options),
    () => print("No sessions found."),
  );
}

async function pickAndShow(store: Store, { source, limit, json }: BrowseOptions): Promise<void> {
  const sessions = await store.listSessions({ limit, order: "active", ...sourceFilter(source) });
  if (sessions.length === 0) return print("No sessions found.");
  const chosen = await pick(sessions);
  if (!chosen) return print("Cancelled.");
  await show(store, chosen, json ? { json } : { limit: RECENT_SHOWN });
  if (!json) print(colors.dim(nextSteps(chosen.id)));
}

async function pick(sessions: readonly SessionSummary[]): Promise<SessionSummary | undefined> {
  const { autocomplete } = await import("@clack/prompts");
  const now = nowSeconds();
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const chosen = await autocomplete<string>({
    message: `Choose a session (${sessions.length})`,
    options: sessions.map((session) => ({
      value: session.id,
      label: pickLabel(session, now),
      hint: session.id,
    })),
    filter: (typed, { value }) => matches(byId.get(value), typed),
    input: io().stdin,
    output: io().stderr,
  });
  return typeof chosen === "string" ? byId.get(chosen) : undefined;
}

export function pickLabel(session: SessionSummary, now: number): string {
  const name = shorten(oneLine(session.title || session.preview || "—"), LABEL_CELLS);
  return `${padToCells(name, LABEL_CELLS)}  ${relativeTime(session.last_active, now)} · ${oneLine(session.source)}`;
}

/** Every typed word must occur somewhere in what the list shows. */
export function matches(session: SessionSummary | undefined, typed: string): boolean {
  if (!session) return false;
  const text = [session.title, session.preview, session.source, session.id].join(" ").toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function nextSteps(id: string): string {
  return `
Go on:      hermes -r ${id}
All of it:  hermes sessions show ${id}
Lineage:    hermes sessions lineage ${id}
Rename:     hermes sessions rename ${id} TITLE`;
}
