import { InvalidArgumentError, Option } from "commander";
import { nowSeconds } from "../clock.js";
import { parseTime } from "./times.js";

/** A parser for whole numbers of at least `least`; anything else is a usage error. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`Give a whole number, ${least} or more.`);
  };
}

export function jsonOption(): Option {
  return new Option("--json", "print JSON for programs");
}

export function sourceOption(): Option {
  return new Option("--source <source>", "only this source (cli, telegram, discord, …)");
}

export function yesOption(): Option {
  return new Option("-y, --yes", "don't ask");
}

export function sinceOption(): Option {
  return new Option("--since <when>", "not older than a date or an age (2026-06-16, 7d, 12h)").argParser(
    (text) => parseTime(text, nowSeconds()),
  );
}

export function untilOption(): Option {
  return new Option("--until <when>", "not newer than a date or an age").argParser((text) =>
    parseTime(text, nowSeconds(), "end"),
  );
}

/** For options that may be given several times: `--role user --role tool`. */
export function collect(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** Commander sets missing options to undefined; our types require the key to be absent. */
export function given<T extends object>(values: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
