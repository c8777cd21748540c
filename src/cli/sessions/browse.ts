import { Command } from "commander";
import { TERMINAL } from "../../adapters/cli/index.js";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { SessionSummary } from "../../session.js";
import type { Store } from "../../store/store.js";
import { oneLine, padToCells, shorten } from "../cells.js";
import { DEFAULT_COLUMNS, terminalColumns } from "../fit.js";
import { io, tty } from "../io.js";
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
/** Besides the name: clack's frame, the time and the platform, and the id of the chosen line. */
const AROUND_CELLS = 60;
const SOURCE_CELLS = 14;
const MIN_LABEL_CELLS = 16;
const MAX_LABEL_CELLS = 100;

export function browseCommand(): Command {
  return new Command("browse")
    .description("Pick a session from a searchable list, and continue or read it")
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
  const talkIn = await withStore(
    (store) => pickFrom(store, options),
    () => void print("No sessions found."),
  );
  if (talkIn !== undefined) await talk(talkIn);
}

/** The id of the session to continue; undefined if there is nothing more to do. */
async function pickFrom(store: Store, { source, limit, json }: BrowseOptions): Promise<string | undefined> {
  const sessions = await store.listSessions({ limit, order: "active", ...sourceFilter(source) });
  if (sessions.length === 0) return void print("No sessions found.");
  const chosen = await pick(sessions);
  const next = !chosen || json || !tty() ? "read" : await pickNext(chosen);
  if (!chosen || next === undefined) return void print("Cancelled.");
  if (next === "talk") return chosen.id;
  await show(store, chosen, json ? { json } : { limit: RECENT_SHOWN });
  if (!json) print(colors.dim(nextSteps(chosen.id)));
  return undefined;
}

/** As `hermes -r` does. */
async function talk(id: string): Promise<void> {
  const terminal = tty();
  if (!terminal) return;
  const { chatInteractively } = await import("../chat/interactive.js");
  const { findEarlier } = await import("../chat/resume.js");
  await chatInteractively(terminal, (store) => findEarlier(store, id));
}

type Next = "talk" | "read";

async function pickNext({ source }: SessionSummary): Promise<Next | undefined> {
  const { select } = await import("@clack/prompts");
  const moves = source === TERMINAL ? "" : `its chat on ${oneLine(source)} starts a new session`;
  const chosen = await select<Next>({
    message: "What now?",
    options: [
      { value: "talk", label: "Continue it in this terminal", hint: moves },
      { value: "read", label: "Read its last messages" },
    ],
    input: io().stdin,
    output: io().stderr,
  });
  return typeof chosen === "string" ? chosen : undefined;
}

async function pick(sessions: readonly SessionSummary[]): Promise<SessionSummary | undefined> {
  const { autocomplete } = await import("@clack/prompts");
  const now = nowSeconds();
  const columns = terminalColumns(io().stderr) ?? DEFAULT_COLUMNS;
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const chosen = await autocomplete<string>({
    message: `Choose a session (${sessions.length})`,
    options: sessions.map((session) => ({
      value: session.id,
      label: pickLabel(session, now, columns),
      hint: session.id,
    })),
    filter: (typed, { value }) => matches(byId.get(value), typed),
    input: io().stdin,
    output: io().stderr,
  });
  return typeof chosen === "string" ? byId.get(chosen) : undefined;
}

export function pickLabel(session: SessionSummary, now: number, columns: number): string {
  const cells = Math.max(MIN_LABEL_CELLS, Math.min(MAX_LABEL_CELLS, columns - AROUND_CELLS));
  const name = shorten(oneLine(session.title || session.preview || "—"), cells);
  const source = shorten(oneLine(session.source), SOURCE_CELLS);
  return `${padToCells(name, cells)}  ${relativeTime(session.last_active, now)} · ${source}`;
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
