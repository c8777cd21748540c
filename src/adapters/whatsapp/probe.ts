/** Checks the package and the link for `hermes doctor` and setup. Connects to nothing: a link has one user at a time. */
import path from "node:path";
import { type Finding, found } from "../../finding.js";
import { readRegular } from "../../regular-file.js";
import type { Probe } from "../probe.js";
import { personOf, userOf } from "./ids.js";
import { findLibrary, howToInstall } from "./library.js";

export interface ProbedAccount {
  home: string;
  folder: string;
  library: string | null;
  number: string;
}

export async function probeWhatsApp({ home, folder, library, number }: ProbedAccount): Promise<Probe> {
  const findings: Finding[] = [
    findLibrary(home, library) === undefined
      ? found.fail("needs the package baileys, which isn't installed", `${howToInstall(home)}.`)
      : found.ok("has the package baileys"),
  ];
  const linked = await linkedNumber(folder);
  if (linked === undefined)
    return {
      findings: [
        ...findings,
        found.warn(
          "isn't linked to an account yet",
          "Start the gateway: its log, `hermes gateway status` and the dashboard show the code to enter on the phone.",
        ),
      ],
    };
  findings.push(found.ok(`is linked as +${linked}`));
  if (linked !== number)
    findings.push(
      found.warn(
        `is linked to another number than platforms.whatsapp.phone_number`,
        `Correct the number, or delete ${folder} to link the right account.`,
      ),
    );
  return { bot: { id: linked, name: `+${linked}` }, findings };
}

/** Undefined: not linked. */
async function linkedNumber(folder: string): Promise<string | undefined> {
  try {
    const creds = JSON.parse((await readRegular(path.join(folder, "creds.json"))).toString("utf8")) as {
      me?: { id?: unknown };
      account?: unknown;
    };
    const jid = creds.account ? personOf(creds.me?.id) : undefined;
    return jid === undefined ? undefined : userOf(jid);
  } catch {
    // Missing or broken: the gateway will make new ones.
    return undefined;
  }
}
