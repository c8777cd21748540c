/** Questions on the terminal. Ctrl-C and Escape at any of them end the whole interview. */
import * as clack from "@clack/prompts";
import type { Finding } from "../../finding.js";

export class Cancelled extends Error {}

async function answered<T>(answer: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await answer;
  if (clack.isCancel(given)) throw new Cancelled();
  return given as Exclude<T, symbol>;
}

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
}

export function choose<T>(message: string, options: readonly Choice<T>[], initialValue: T): Promise<T> {
  // The library's type requires a label only for some values; ours always have one.
  return answered(
    clack.select({ message, options: [...options] as never, initialValue }) as Promise<T | symbol>,
  );
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
  return answered(clack.multiselect(question) as Promise<T[] | symbol>);
}

export interface TextQuestion {
  initial?: string;
  placeholder?: string;
  /** The error message for a bad answer. */
  check?: (text: string) => string | undefined;
}

export async function askText(
  message: string,
  { initial, placeholder, check }: TextQuestion = {},
): Promise<string> {
  const question = {
    message,
    ...(initial === undefined ? {} : { initialValue: initial }),
    ...(placeholder === undefined ? {} : { placeholder }),
    validate: (text: string | undefined) => check?.((text ?? "").trim()),
  };
  return (await answered(clack.text(question))).trim();
}

export async function askSecret(message: string, check?: TextQuestion["check"]): Promise<string> {
  const validate = (text: string | undefined) => check?.((text ?? "").trim());
  return ((await answered(clack.password({ message, validate }))) ?? "").trim();
}

export function agree(message: string): Promise<boolean> {
  return answered(clack.confirm({ message }));
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
    const text = advice === "" ? message : `${message}\n→ ${advice}`;
    if (state === "ok") clack.log.success(text);
    else if (state === "warn") clack.log.warn(text);
    else clack.log.error(text);
  }
}

export const { intro, outro, note, log } = clack;
