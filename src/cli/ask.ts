import { HermesError } from "../errors.js";
import { io } from "./io.js";
import { isInteractive, print, printJson } from "./output.js";

/** True to proceed. Asks on the terminal; without one, only `--yes` counts. */
export async function confirmed(
  question: string,
  { yes, json }: { yes?: boolean; json?: boolean },
): Promise<boolean> {
  if (yes) return true;
  if (!isInteractive()) {
    throw new HermesError("refused", "This needs a confirmation, and there is no terminal to ask on.", {
      hint: "Pass --yes to go ahead without being asked.",
    });
  }
  const agreed = await agrees(question);
  if (!agreed) json ? printJson({ cancelled: true }) : print("Cancelled.");
  return agreed;
}

/** Asks on the terminal; anything but yes counts as no. */
export async function agrees(question: string): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const { stdin, stderr } = io();
  // Escape and Ctrl-C give a symbol, not false.
  return (await confirm({ message: question, initialValue: false, input: stdin, output: stderr })) === true;
}
