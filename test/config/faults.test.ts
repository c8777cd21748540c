import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { faultLine } from "../../src/config/faults.js";
import { HermesError } from "../../src/errors.js";
import { faultsOf, type Given, load, temporaryHome } from "./temp-home.js";

function lines(given: Given): string[] {
  return faultsOf(given).map(faultLine);
}

test("lists all faults of all layers, each with its source and a hint", () => {
  const yaml = `timezone: Europe/Berln
sesion_reset: {}
session_reset:
  mode: wekly
  at_hour: 25
  idle_minutes: four
port: 3
platforms:
  telegarm: {}
  telegram:
    require_mention: perhaps
    tokn: x
    mention_patterns: ["("]
  slack:
    enabled: yes
owners: [me]
model:
  provider: openai-compatible
  base_url: ftp://x
http: 5
`;
  expect(
    lines({
      yaml,
      env: { TELEGRAM_ALLOW_ALL_USERS: "maybe" },
      flags: { "http.prot": 1, "streaming.buffer_threshold": 0 },
    }),
  ).toEqual([
    'config.yaml:1  timezone: "Europe/Berln" is not an IANA time zone such as Europe/Berlin (did you mean "Europe/Berlin"?)',
    "config.yaml:2  sesion_reset: is not a known key (did you mean `session_reset`?)",
    'config.yaml:4  session_reset.mode: "wekly" is not one of daily, idle, both, none (did you mean "daily"?)',
    "config.yaml:5  session_reset.at_hour: 25 is too large (at most 23)",
    'config.yaml:6  session_reset.idle_minutes: "four" is not a number',
    "config.yaml:7  port: is not a known key (did you mean `http.port`?)",
    "config.yaml:9  platforms.telegarm: is not a platform (did you mean `telegram`?)",
    'config.yaml:11  platforms.telegram.require_mention: "perhaps" is not true or false',
    "config.yaml:12  platforms.telegram.tokn: is not a known key (did you mean `token`?)",
    expect.stringMatching(
      /^config\.yaml:13 {2}platforms\.telegram\.mention_patterns\.0: "\(" is not a regular expression/,
    ),
    "config.yaml:15  platforms.slack.token: is missing, but slack is enabled (set it, or SLACK_BOT_TOKEN)",
    'config.yaml:16  owners.0: "me" is not "platform:user id"',
    'config.yaml:18  model.default: is missing, but the provider is "openai-compatible"',
    'config.yaml:19  model.base_url: "ftp://x" is not an http(s) address',
    'config.yaml:20  http: "5" is not a mapping',
    'env TELEGRAM_ALLOW_ALL_USERS  platforms.telegram.allow_all: "maybe" is not true or false',
    "flag  streaming.buffer_threshold: 0 is too small (more than 0)",
  ]);
});

test("the error's message is the whole list", () => {
  const bad = () => load({ yaml: "http: {prot: 1}", flags: { "log.lvel": "info" } });
  expect(bad).toThrow(HermesError);
  expect(bad).toThrow(
    "The configuration has 2 errors:\n" +
      "  config.yaml:1  http.prot: is not a known key (did you mean `port`?)\n" +
      "  flag  log.lvel: is not a known key (did you mean `level`?)",
  );
});

test("rejects a pattern that can't be matched in linear time, with the reason", () => {
  const shown = lines({
    yaml: 'platforms:\n  telegram:\n    mention_patterns: ["bot(?=!)", "(a)\\\\1", "(?i)ok"]\n',
  });
  expect(shown).toEqual([
    expect.stringMatching(
      /^config\.yaml:3 .*mention_patterns\.0: "bot\(\?=!\)" is not .*no lookahead.*`\(\?=`$/,
    ),
    expect.stringMatching(/^config\.yaml:3 .*mention_patterns\.1: "\(a\).*1" is not .*no back references/),
  ]);
});

test("faults don't show secrets", () => {
  const shown = lines({
    yaml: "http:\n  token: [hunter2]\nmodel:\n  base_url: gopher://me:hunter2@x\n",
    flags: { "platforms.slack.signing_secret": 7331 },
  });
  expect(shown).toHaveLength(3);
  expect(shown.join("\n")).not.toMatch(/hunter2|7331/);
});

test("broken YAML is reported with line and column", () => {
  expect(lines({ yaml: "a: 1\nb: [1, 2\nc: 3\n" })).toEqual([
    expect.stringMatching(/^config\.yaml:3:1 {2}is not YAML: /),
  ]);
  expect(lines({ yaml: "http: {}\nhttp: {}\n" })).toEqual([
    expect.stringMatching(/^config\.yaml:2:1 .*unique/),
  ]);
  expect(lines({ yaml: "- a\n- b\n" })).toEqual(["config.yaml:1  is not a mapping of keys to values"]);
});

test("rejects endless aliases", () => {
  expect(lines({ yaml: "owners: &a [*a]" })).toContainEqual(expect.stringContaining("aliases without end"));
});

test("a key named __proto__ is just an unknown key", () => {
  expect(lines({ yaml: "__proto__: {polluted: 1}\nhttp: {__proto__: 1}\n" })).not.toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

const word = fc.oneof(
  fc.constantFrom(
    "http",
    "port",
    "platforms",
    "telegram",
    "token",
    "model",
    "fallback",
    "owners",
    "session_reset",
  ),
  fc.constantFrom(
    "allow_from",
    "reset_by_type",
    "display",
    "timezone",
    "extra",
    "auxiliary",
    "__proto__",
    "length",
  ),
  fc.string({ maxLength: 8 }),
);
const { junk } = fc.letrec<{ junk: unknown }>((tie) => ({
  junk: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e300, "", "$" + "{X}", "${", "~", "*a", "echo"),
    fc.string(),
    fc.array(tie("junk"), { maxLength: 3 }),
    fc.dictionary(word, tie("junk"), { maxKeys: 4 }),
  ),
}));

/** Any answer is fine but a crash. */
function loadsOrComplains(given: Given, home: string): void {
  try {
    expect(Object.isFrozen(load(given, home).config)).toBe(true);
  } catch (error) {
    expect(error).toBeInstanceOf(HermesError);
  }
}

test("any file either loads or throws a HermesError", () => {
  const home = temporaryHome();
  const text = fc.string({ maxLength: 200, unit: "binary" });
  fc.assert(fc.property(text, (yaml) => loadsOrComplains({ yaml, dotenv: yaml }, home)));
  const tree = fc.dictionary(word, junk, { maxKeys: 5 });
  fc.assert(
    fc.property(tree, (keys) => loadsOrComplains({ yaml: stringify(keys), dotenv: "" }, home)),
    { numRuns: 300 },
  );
});

test("a name that isn't allowed says which are", () => {
  expect(lines({ yaml: "agents: {My Agent: {backend: model}}\n" })).toEqual([
    "config.yaml:1  agents.My Agent: is not a valid name: up to 32 lower case letters, digits, _ and -",
  ]);
});

test("any flags and variables either load or throw a HermesError", () => {
  const home = temporaryHome();
  const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join("."));
  const name = fc.constantFrom(
    "HERMES_HTTP_PORT",
    "TELEGRAM_ALLOWED_USERS",
    "HERMES_MODEL_PROVIDER",
    "HERMES_TIMEZONE",
  );
  fc.assert(
    fc.property(fc.dictionary(path, junk), fc.dictionary(name, fc.string()), (flags, env) =>
      loadsOrComplains({ flags, env, yaml: "owners: [telegram:1]\nhttp: 5\n" }, home),
    ),
    { numRuns: 300 },
  );
});

test("finds toolsets that include themselves, and rules for no kind of person", () => {
  const yaml = `toolsets:
  a: {includes: [b]}
  b: {includes: [c, web]}
  c: {includes: [a]}
  own: {includes: [own]}
tools:
  memory: {allow: [friends], ask: maybe}
  web: {allow: []}
`;
  expect(lines({ yaml })).toEqual([
    "config.yaml:2  toolsets.a.includes: includes itself: a → b → c → a",
    "config.yaml:3  toolsets.b.includes: includes itself: b → c → a → b",
    "config.yaml:4  toolsets.c.includes: includes itself: c → a → b → c",
    "config.yaml:5  toolsets.own.includes: includes itself: own → own",
    expect.stringContaining(
      'tools.memory.allow.0: "friends" is not owner, paired, everyone or "platform:user id"',
    ),
    expect.stringContaining("tools.memory.ask:"),
  ]);
});

test("skips Hermes' own list of toolsets and its other web keys", () => {
  const { config, ignored } = load({
    yaml: "toolsets: [hermes-cli]\nweb: {backend: exa, search_backend: tavily}\n",
  });
  expect(config.toolsets).toEqual({});
  expect(config.web.search_backend).toBe("tavily");
  expect(ignored.map(({ path }) => path)).toEqual(["toolsets", "web.backend"]);
});
