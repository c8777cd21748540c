/** Decides which of the issuer's users may sign in, and as whom. Pure. */
import type { OidcConfig } from "../../../config/sections/web-chat.js";
import { isWebOwner, WEB, webPersonOf } from "../../../policies/web-person.js";
import type { WebLogin } from "../../../sessions/web-login.js";

/** The issuer's claims about a person, from the ID token or the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

export interface Rules
  extends Pick<OidcConfig, "allowed_domains" | "allowed_groups" | "groups_claim" | "allow_all"> {
  owners: readonly string[];
}

export interface Identity {
  issuer: string;
  sub: string;
  sources: readonly Claims[];
}

const MAX_SUB_CHARS = 255;
const MAX_NAME_CHARS = 100;

/** If domains and groups are both set, both must match. */
export function admit(identity: Identity, rules: Rules): { login: WebLogin } | { refusal: string } {
  const { issuer, sub } = identity;
  if (sub === "" || sub.length > MAX_SUB_CHARS)
    return { refusal: "The service that you sign in with gives you an id that can't be used here." };
  const refusal = domainRefusal(identity, rules) ?? groupRefusal(identity, rules) ?? openRefusal(rules);
  if (refusal !== undefined) return { refusal };
  const name = `oidc:${issuer}#${sub}`;
  const person = webPersonOf(name);
  const owner = isWebOwner({ platform: WEB, userId: person }, rules.owners);
  return { login: { person, name: nameOf(identity), owner } };
}

function domainRefusal({ sources }: Identity, { allowed_domains: allowed }: Rules): string | undefined {
  if (allowed.length === 0) return undefined;
  const email = sources.map(verifiedEmail).find((one) => one !== undefined);
  if (email === undefined) return "The service that you sign in with has no verified e-mail address for you.";
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const isAllowed = allowed.some((one) => one.replace(/^@/, "").toLowerCase() === domain);
  return isAllowed ? undefined : "E-mail addresses of your domain may not sign in here.";
}

function groupRefusal({ sources }: Identity, rules: Rules): string | undefined {
  if (rules.allowed_groups.length === 0) return undefined;
  const theirs = new Set(sources.flatMap((claims) => texts(claims[rules.groups_claim])));
  const isMember = rules.allowed_groups.some((group) => theirs.has(group));
  return isMember ? undefined : "You aren't a member of a group that may sign in here.";
}

function openRefusal({ allowed_domains, allowed_groups, allow_all }: Rules): string | undefined {
  const isLimited = allowed_domains.length + allowed_groups.length > 0;
  return isLimited || allow_all
    ? undefined
    : "The configuration of this gateway doesn't let anyone sign in this way.";
}

/** Anyone can claim an address, so the issuer must have verified it. Some issuers send the flag as text. */
function verifiedEmail({ email, email_verified }: Claims): string | undefined {
  const isVerified = email_verified === true || email_verified === "true";
  return isVerified && typeof email === "string" && email.includes("@") ? email : undefined;
}

function nameOf({ sources }: Identity): string | null {
  const names = ["name", "preferred_username", "email"].flatMap((key) =>
    sources.flatMap((claims) => texts(claims[key])),
  );
  const plain = names.map((name) => name.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim());
  return plain.find((name) => name !== "")?.slice(0, MAX_NAME_CHARS) ?? null;
}

function texts(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === "string");
}
