/** The web chat, beside the keys that all platforms have. */
import { z } from "zod";
import { httpUrl, listOf, orNull, sample, text } from "./scalars.js";

const oidc = z.strictObject({
  issuer: sample(
    orNull(httpUrl).describe("Issuer URL; also set client_id and who is allowed"),
    "https://id.example.org",
  ),
  client_id: sample(orNull(text).describe("The gateway's client id at the issuer"), "hermes"),
  client_secret: orNull(text).describe("Its secret, if it has one; better HERMES_OIDC_CLIENT_SECRET in .env"),
  label: text.max(60).default("Sign in with single sign-on").describe("Label of the button"),
  allowed_domains: sample(
    listOf(text).describe("Only people with a verified e-mail address of these domains"),
    "[example.org]",
  ),
  allowed_groups: sample(listOf(text).describe("Only members of one of these groups"), "[staff]"),
  groups_claim: text.default("groups").describe("Where the issuer lists a person's groups"),
  allow_all: z.boolean().default(false).describe("Everyone with an account at the issuer may sign in"),
  scopes: z
    .array(text)
    .default(["openid", "profile", "email"])
    .describe("Requested scopes; some issuers need another one for groups"),
});

export type OidcConfig = z.output<typeof oidc>;

export const webChat = z.strictObject({
  url: sample(
    orNull(httpUrl).describe(
      "Where people open the web chat, for links to it; unset: http.host and http.port",
    ),
    "https://chat.example.org",
  ),
  sharing: z.boolean().default(true).describe("People may share conversations as read-only links"),
  oidc: oidc.prefault({}).describe("Signing in with OpenID Connect"),
});
