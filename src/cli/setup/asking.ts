/**
 * Questions with a way back: a script asks them one after the other. Escape forgets the last answer and runs the script
 * again; it gets the earlier answers without asking, until it reaches the question before.
 */
import type { Finding } from "../../finding.js";
import {
  agree,
  Back,
  busy,
  type Choice,
  choose,
  chooseSome,
  log,
  note,
  type SecretQuestion,
  say,
  secret,
  show,
  type TextQuestion,
  text,
  warn,
} from "./prompts.js";

export interface Ask {
  choose<T>(message: string, options: readonly Choice<T>[], initial: T): Promise<T>;
  /** Like `choose`, for long lists: typing searches. */
  find<T>(message: string, options: readonly Choice<T>[], initial: T): Promise<T>;
  chooseSome<T>(message: string, options: readonly Choice<T>[], initial: readonly T[]): Promise<T[]>;
  text(message: string, question?: TextQuestion): Promise<string>;
  secret(message: string, question?: SecretQuestion): Promise<string>;
  agree(message: string): Promise<boolean>;
  /** Takes a while; isn't done again on the way back. */
  work<T>(message: string, work: () => Promise<T>): Promise<T>;
  show(findings: readonly Finding[]): void;
  note(body: string, title: string): void;
  say(body: string): void;
  /** As they are, with colours. */
  lines(lines: readonly string[]): void;
  warn(body: string): void;
}

interface Step {
  /** Undefined for work. */
  question?: string;
  result: unknown;
}

export async function askWithBack<T>(script: (ask: Ask) => Promise<T>): Promise<T> {
  const steps: Step[] = [];
  // What was answered before going back, by question: offered again.
  const withdrawn = new Map<string, unknown>();
  for (;;) {
    try {
      return await script(asking(steps, withdrawn));
    } catch (error) {
      if (!(error instanceof Back)) throw error;
      const last = steps.findLastIndex(({ question }) => question !== undefined);
      const [step] = steps.splice(Math.max(last, 0));
      if (step?.question !== undefined) withdrawn.set(step.question, step.result);
      else log.info("This is the first question. Ctrl-C leaves without changes.");
    }
  }
}

function asking(steps: Step[], withdrawn: Map<string, unknown>): Ask {
  let at = 0;
  const isLive = () => at === steps.length;
  const recorded = async <T>(make: () => Promise<T>, question?: string): Promise<T> => {
    if (isLive()) {
      const result = await make();
      steps.push(question === undefined ? { result } : { question, result });
    }
    return steps[at++]!.result as T;
  };
  const before = <T>(question: string): T | undefined => {
    const answer = withdrawn.get(question) as T | undefined;
    withdrawn.delete(question);
    return answer;
  };
  const among = <T>(question: string, options: readonly Choice<T>[], initial: T): T => {
    const answer = before<T>(question);
    return answer !== undefined && options.some(({ value }) => value === answer) ? answer : initial;
  };
  const live =
    <A extends unknown[]>(print: (...args: A) => void) =>
    (...args: A) => {
      if (isLive()) print(...args);
    };
  return {
    choose: (message, options, initial) =>
      recorded(() => choose(message, options, among(message, options, initial)), message),
    find: (message, options, initial) =>
      recorded(() => choose(message, options, among(message, options, initial), true), message),
    chooseSome: <T>(message: string, options: readonly Choice<T>[], initial: readonly T[]) =>
      recorded(() => chooseSome(message, options, before<T[]>(message) ?? initial), message),
    text: (message, question = {}) =>
      recorded(() => {
        const typed = before<string>(message);
        return text(message, typed === undefined ? question : { ...question, typed });
      }, message),
    secret: (message, question) => recorded(() => secret(message, question), message),
    agree: (message) => recorded(() => agree(message), message),
    work: (message, work) => recorded(() => busy(message, work)),
    show: live(show),
    note: live(note),
    say: live(say),
    lines: live((lines: readonly string[]) => log.message(lines.join("\n"))),
    warn: live(warn),
  };
}
