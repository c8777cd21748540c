/** Questions on the terminal. Escape goes back, Ctrl-C ends the whole interview. */
import * as clack from "@clack/prompts";
import type { Finding } from "../../finding.js";
import { terminalColumns } from "../fit.js";
import { wrapText } from "../wrap.js";

export class Cancelled extends Error {}
/** To the question before. */
export class Back extends Error {}

async function answered<T>(ask: () => Promise<T>): Promise<Exclude<T, symbol>> {
  let wasEscape = false;
  // The library reports both keys as the same symbol.
  const onKey = (_: unknown, key: { name?: string } | undefined) => {
    wasEscape = key?.name === "escape";
  };
  process.stdin.prependListener("keypress", onKey);
  try {
    const given = await ask();
    if (clack.isCancel(given)) throw wasEscape ? new Back() : new Cancelled();
    return given as Exclude<T, symbol>;
  } finally {
    process.stdin.removeListener("keypress", onKey);
  }
}

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
  /** Stays in the list whatever is searched for. */
  always?: boolean;
}

const MAX_SHOWN = 10;

export function choose<T>(
  message: string,
  options: readonly Choice<T>[],
  initialValue: T,
  bySearch = false,
): Promise<T> {
  // The library's type requires a label only for some values; ours always have one.
  const question = { message, options: [...options] as never, initialValue };
  const search = () =>
    clack.autocomplete({
      ...question,
      maxItems: MAX_SHOWN,
      filter: (words, option) => {
        const { label, always } = option as unknown as Choice<T>;
        return always === true || label.toLowerCase().includes(words.trim().toLowerCase());
      },
    });
  return answered(() => (bySearch ? search() : clack.select(question)) as Promise<T | symbol>);
}

export function chooseSome<T>(
  message: string,
  options: readonly Choice<T>[],
  initialValues: readonly T[],
): Promise<T[]> {
  const question = {
    message,
    options: [...options] as never,
    initialValues: [...initialValues],
    required: false,
  };
  return answered(() => clack.multiselect(question) as Promise<T[] | symbol>);
}

export interface TextQuestion {
  /** Enter takes it; it is shown in grey. */
  initial?: string;
  /** Already typed, for changing. */
  typed?: string;
  /** The error message for a bad answer. */
  check?: (text: string) => string | undefined;
}

export async function text(message: string, { initial, typed, check }: TextQuestion = {}): Promise<string> {
  const question = {
    message,
    ...(initial ? { placeholder: initial, defaultValue: initial } : {}),
    ...(typed === undefined || typed === initial ? {} : { initialValue: typed }),
    validate: (given: string | undefined) => check?.((given ?? "").trim() || (initial ?? "")),
  };
  return (await answered(() => clack.text(question))).trim();
}

export type SecretQuestion = Pick<TextQuestion, "check">;

export async function secret(message: string, { check }: SecretQuestion = {}): Promise<string> {
  const validate = (given: string | undefined) => check?.((given ?? "").trim());
  return ((await answered(() => clack.password({ message, validate }))) ?? "").trim();
}

export function agree(message: string): Promise<boolean> {
  return answered(() => clack.confirm({ message }));
}

export async function busy<T>(message: string, work: () => Promise<T>): Promise<T> {
  const spinner = clack.spinner();
  spinner.start(message);
  try {
    return await work();
  } finally {
    spinner.stop(message);
  }
}

export function show(findings: readonly Finding[]): void {
  for (const { state, message, fix, page } of findings) {
    const advice = [fix, page].filter((part) => part !== undefined).join(" ");
    const text = wrapped(advice === "" ? message : `${message}\n→ ${advice}`);
    if (state === "ok") clack.log.success(text);
    else if (state === "warn") clack.log.warn(text);
    else clack.log.error(text);
  }
}

export const say = (body: string) => clack.log.message(wrapped(body));
export const warn = (body: string) => clack.log.warn(wrapped(body));

/** The library wraps questions, but not other lines. */
function wrapped(text: string): string {
  const columns = terminalColumns();
  return columns === undefined ? text : wrapText(text, Math.max(MIN_CELLS, columns - FRAME)).join("\n");
}

/** The bar at the left, and a free cell. */
const FRAME = 4;
const MIN_CELLS = 20;

export const { intro, outro, note, log } = clack;
