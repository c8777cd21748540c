import { expect, test } from "vitest";
import { maskSecrets } from "../../src/config/mask.js";
import { secretsOf } from "../../src/startup/secrets.js";
import { faultsOf, load } from "./temp-home.js";

const yaml = (keys: string) => `web_chat: {oidc: {${keys}}}\n`;
const ISSUER = 'issuer: "https://id.example.org"';

test("reads an issuer, with its secret from the environment", () => {
  const { config } = load({
    yaml: yaml(`${ISSUER}, client_id: hermes, allowed_domains: example.org`),
    env: { HERMES_OIDC_CLIENT_SECRET: "a-secret-of-the-issuer" },
  });
  expect(config.web_chat.oidc).toMatchObject({
    allowed_domains: ["example.org"],
    client_secret: "a-secret-of-the-issuer",
  });
  expect(secretsOf(config)).toContain("a-secret-of-the-issuer");
  expect(JSON.stringify(maskSecrets(config))).not.toContain("a-secret-of-the");
});

test.each([
  [`${ISSUER}, client_id: hermes`, "set allowed_domains, allowed_groups, or allow_all: true"],
  [`${ISSUER}, client_id: hermes, allowed_domains: [], allow_all: false`, "restrict who may"],
  [`${ISSUER}, allow_all: true`, "is missing, but there is an issuer"],
  ['issuer: "http://id.example.org", client_id: hermes, allow_all: true', "is not https"],
])("refuses %s", (keys, words) => {
  expect(JSON.stringify(faultsOf({ yaml: yaml(keys) }))).toContain(words);
});

test("takes an issuer on this machine without https, and a secret without an issuer", () => {
  load({ yaml: yaml('issuer: "http://127.0.0.1:9000", client_id: hermes, allow_all: true') });
  load({ yaml: "", env: { HERMES_OIDC_CLIENT_SECRET: "a-secret-of-the-issuer" } });
});
