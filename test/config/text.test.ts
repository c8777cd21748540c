import { expect, test } from "vitest";
import { parseEnvFile } from "../../src/config/dotenv.js";
import { faultsOf, load } from "./temp-home.js";

function variables(text: string): Record<string, string> {
  return Object.fromEntries([...parseEnvFile(text).variables].map(([name, { value }]) => [name, value]));
}

test(".env: quotes, export, comments, the last of two wins", () => {
  const text = [
    "\uFEFF# a comment",
    "PLAIN=one two  # said so",
    "export EXPORTED = yes",
    "SINGLE='a # $b \\n'",
    'DOUBLE="line\\nnext \\"q\\" \\\\" # end',
    "HASH=a#b",
    "EMPTY=",
    "ONLY_COMMENT= # nothing",
    "TWICE=1\r",
    "TWICE=2",
  ].join("\n");
  expect(variables(text)).toEqual({
    PLAIN: "one two",
    EXPORTED: "yes",
    SINGLE: "a # $b \\n",
    DOUBLE: 'line\nnext "q" \\',
    HASH: "a#b",
    EMPTY: "",
    ONLY_COMMENT: "",
    TWICE: "2",
  });
});

test(".env: an invalid line is a fault that doesn't show the line", () => {
  expect(faultsOf({ dotenv: "A=1\nsecret words\nB='open" })).toEqual([
    { where: ".env:2", path: "", message: "is not KEY=VALUE" },
    { where: ".env:3", path: "", message: "B: the quote is not closed" },
  ]);
});

test("variables are expanded in every string of the file, from the environment and .env", () => {
  const { config, sources } = load({
    yaml: `
http:
  port: \${PORT}
  host: "\${HOST:-127.0.0.2}"
owners: ["telegram:\${ME}"]
agent:
  system_prompt: |
    I am \${NAME:-Hermes}, $\${NAME} and $5.
model:
  api_key: \${UNSET:-}
`,
    env: { PORT: "99", NAME: "" },
    dotenv: "ME=42",
  });
  expect(config.http).toMatchObject({ port: 99, host: "127.0.0.2" });
  expect(config.owners).toEqual(["telegram:42"]);
  expect(config.agent.system_prompt).toBe("I am Hermes, $" + "{NAME} and $5.\n");
  expect(config.model.api_key).toBeNull();
  expect(sources["http.port"]).toBe("config.yaml:3");
});

test("a variable that is not set is a fault with its name and path", () => {
  const [fault, broken] = faultsOf({ yaml: `http:\n  token: \${NOBODY}\nmodel:\n  api_key: \${half\n` });
  expect(fault).toMatchObject({ where: "config.yaml:2", path: "http.token" });
  expect(fault?.message).toContain("the variable NOBODY is not set");
  expect(broken).toMatchObject({ where: "config.yaml:4", path: "model.api_key" });
});
