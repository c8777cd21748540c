import { z } from "zod";

/** A hook's verdict on a slash command. Anything else means allow. */
export type CommandVerdict =
  | { decision: "deny"; message: string | null }
  | { decision: "handled"; message: string | null }
  | { decision: "rewrite"; command: string; args: string };

const MAX_TEXT = 20_000;

const schema = z.object({
  decision: z.enum(["allow", "deny", "handled", "rewrite"]),
  message: z.string().max(MAX_TEXT).nullish(),
  command_name: z.string().nullish(),
  raw_args: z.string().max(MAX_TEXT).nullish(),
});

/** Undefined: allowed. */
export function verdictOf(result: unknown): CommandVerdict | undefined {
  const parsed = schema.safeParse(result);
  if (!parsed.success) return undefined;
  const { decision, message, command_name, raw_args } = parsed.data;
  if (decision === "deny" || decision === "handled") return { decision, message: message ?? null };
  const command = command_name?.replace(/^\//, "").trim().toLowerCase();
  if (decision === "rewrite" && command) return { decision, command, args: raw_args ?? "" };
  return undefined;
}
