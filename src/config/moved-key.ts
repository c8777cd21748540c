/** A model's key belongs to the service that it was given for. It must not go to another one. */
import type { Config } from "./schema.js";

type Service = Pick<Config["model"], "provider" | "base_url" | "api_key">;

/** The services that a key was given for and would be sent to now. Undefined if it isn't the same key or service. */
export function movedKey(before: Service, after: Service): { from: string; to: string } | undefined {
  if (after.api_key === null || after.api_key !== before.api_key) return undefined;
  const from = serviceName(before);
  const to = serviceName(after);
  return from === undefined || to === undefined || from === to ? undefined : { from, to };
}

/** Undefined if no key is sent. */
function serviceName({ provider, base_url }: Pick<Service, "provider" | "base_url">): string | undefined {
  if (provider === "echo") return undefined;
  return base_url === null ? provider : new URL(base_url).origin;
}
