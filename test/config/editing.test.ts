import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { parseEnvFile } from "../../src/config/dotenv.js";
import { setVariable } from "../../src/config/edit-env.js";
import { editYaml, readRaw, type YamlEdit } from "../../src/config/edit-yaml.js";

const set = (path: string, value: unknown): YamlEdit => ({ path: path.split("."), value });

const FILE = `# mine
timezone:   Europe/Berlin   # where I live

model:
    provider: echo     # none yet
    # the name comes here
    default:

platforms:
    telegram: {token: "abc", allow_from: [1,2]}   # flow
    # the other one
    discord:
        allow_from:
            - "17"   # Ann
            - "18"
        allow_all: false
    slack:

# the end
`;

describe("editing config.yaml", () => {
  it("changes the value and nothing else", () => {
    expect(editYaml(FILE, [set("timezone", "UTC")])).toBe(FILE.replace("Europe/Berlin", "UTC"));
    expect(editYaml(FILE, [set("model.default", "m: 1")])).toBe(FILE.replace("default:", 'default: "m: 1"'));
    expect(editYaml(FILE, [set("platforms.discord.allow_all", true)])).toBe(
      FILE.replace("allow_all: false", "allow_all: true"),
    );
    expect(editYaml(FILE, [set("platforms.telegram.token", "x")])).toBe(FILE.replace('"abc"', "x"));
    expect(editYaml(FILE, [set("model.provider", "echo")])).toBe(FILE);
  });

  it("adds a key where its neighbours are, in their style", () => {
    expect(editYaml(FILE, [set("model.base_url", "http://h/v1")])).toBe(
      FILE.replace("    default:\n", "    default:\n    base_url: http://h/v1\n"),
    );
    expect(editYaml(FILE, [set("platforms.telegram.allow_all", true)])).toBe(
      FILE.replace("[1,2]}", "[1,2], allow_all: true}"),
    );
    expect(editYaml(FILE, [set("platforms.telegram.webhook.secret", "s")])).toBe(
      FILE.replace("[1,2]}", "[1,2], webhook: {secret: s}}"),
    );
    expect(editYaml(FILE, [set("platforms.slack.allow_from", ["U1", "U2"])])).toBe(
      FILE.replace("    slack:\n", "    slack:\n      allow_from: [U1, U2]\n"),
    );
    expect(editYaml(FILE, [set("session_reset.mode", "none")])).toBe(
      FILE.replace("    slack:\n", "    slack:\nsession_reset:\n  mode: none\n"),
    );
    expect(editYaml("", [set("a.b", 1), set("a.c", 2)])).toBe("a:\n  b: 1\n  c: 2\n");
    expect(editYaml("# only words", [set("a", "x")])).toBe("# only words\na: x\n");
    expect(editYaml("a: {}\n", [set("a.b", 1)])).toBe("a: {b: 1}\n");
  });

  it("keeps the rest as it is around lists without an indent, texts of several lines and null", () => {
    const list =
      "log: {level: info}  # quiet\nowners:   # mine\n- telegram:1   # Ann\n- telegram:2\n# who else\nallow_from:\n- x\n";
    expect(editYaml(list, [set("owners", ["telegram:3"])])).toBe(
      list.replace(
        "owners:   # mine\n- telegram:1   # Ann\n- telegram:2\n",
        "owners: [telegram:3]   # mine\n",
      ),
    );
    const block =
      "log: {level: info}  # quiet\nagent:\n    prompt: |\n        one\n        two\n    # more\n";
    expect(editYaml(block, [set("agent.prompt", "three")])).toBe(
      block.replace("|\n        one\n        two\n", "three\n"),
    );
    const nothing = "log: {level: info}  # quiet\n# none yet\nmodel: ~   # later\n";
    expect(editYaml(nothing, [set("model.provider", "echo")])).toBe(
      nothing.replace("model: ~   # later\n", "model:   # later\n  provider: echo\n"),
    );
  });

  it("removes a key with its line", () => {
    expect(editYaml(FILE, [set("model.provider", undefined)])).toBe(
      FILE.replace("    provider: echo     # none yet\n", ""),
    );
    expect(editYaml(FILE, [set("platforms.telegram.token", undefined)])).toBe(
      FILE.replace('token: "abc", ', ""),
    );
    expect(editYaml(FILE, [set("platforms.telegram.allow_from", undefined)])).toBe(
      FILE.replace(", allow_from: [1,2]", ""),
    );
    const without = parse(editYaml(FILE, [set("platforms.discord", undefined)]));
    expect(without.platforms).toEqual({ telegram: { token: "abc", allow_from: [1, 2] }, slack: null });
    expect(editYaml(FILE, [set("nothing.here", undefined)])).toBe(FILE);
  });

  it("changes only the edited line of the example", () => {
    const example = readFileSync(new URL("../../config/config.example.yaml", import.meta.url), "utf8");
    const edited = editYaml(example, [set("session_reset.at_hour", 6)]);
    const lines = (text: string) => text.split("\n");
    const changed = lines(edited).filter((line, i) => line !== lines(example)[i]);
    expect(changed).toEqual([expect.stringMatching(/^ {2}at_hour: 6 {2}# /)]);
  });

  it("reads the raw text, not the expanded value", () => {
    const written = "$".concat("{X}");
    expect(readRaw(`a: {b: '${written}'}`, ["a", "b"])).toBe(written);
    expect(readRaw("", ["a"])).toBeUndefined();
  });

  it("rejects a file that isn't a mapping", () => {
    expect(() => editYaml("- a\n", [set("a", 1)])).toThrow(/not a mapping/);
    expect(() => editYaml("a: [", [set("b", 1)])).toThrow(/not a mapping/);
    expect(() => editYaml("a: 1", [set("a.b", 1)])).toThrow(/a is not a mapping/);
  });

  it("makes the edit and nothing else in any file", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "key with blanks", "7");
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    const tree = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, leaf, fc.dictionary(key, tie("node"), { maxKeys: 3 })),
    })).node;
    const file = fc.dictionary(key, tree, { maxKeys: 4 });
    const style = fc.record({
      indent: fc.constantFrom(2, 4),
      flow: fc.boolean(),
      comments: fc.boolean(),
    });
    const edits = fc.array(
      fc.record({
        path: fc.array(key, { minLength: 1, maxLength: 3 }),
        value: fc.option(leaf, { nil: undefined }),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(file, style, edits, (content, { indent, flow, comments }, changes) => {
        let text = stringify(content, { indent, collectionStyle: flow ? "flow" : "any" });
        if (comments) text = text.replace(/^( *)([a-d]):/gm, "$1# about $2\n$1$2:");
        let expected: unknown = content;
        for (const { path, value } of changes) {
          // Something else than a mapping on the way is a fault of the file, named elsewhere.
          if (!mayHold(expected, path)) continue;
          text = editYaml(text, [{ path, value }]);
          expected = changed(expected, path, value);
          expect(tidy(parse(text))).toEqual(tidy(expected));
        }
      }),
      { numRuns: 150 },
    );
  });
});

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function mayHold(value: unknown, path: readonly string[]): boolean {
  let at = value;
  for (const key of path.slice(0, -1)) {
    at = isTree(at) ? at[key] : undefined;
    if (at === undefined || at === null) return true;
    if (!isTree(at)) return false;
  }
  return true;
}

function changed(value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown {
  const tree = isTree(value) ? { ...value } : {};
  if (key === undefined) return to;
  if (rest.length > 0) {
    if (to === undefined && !isTree(tree[key])) return value;
    tree[key] = changed(tree[key], rest, to);
  } else if (to === undefined) delete tree[key];
  else tree[key] = to;
  return tree;
}

/** Empty mappings and nulls say nothing. */
function tidy(value: unknown): unknown {
  if (!isTree(value)) return value ?? undefined;
  const entries = Object.entries(value).map(([key, below]) => [key, tidy(below)] as const);
  const left = entries.filter(([, below]) => below !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

describe("editing .env", () => {
  it("sets a variable in its line, or in a new one", () => {
    const text = "# keys\nA=1\nexport B='x' # old\r\nAB=2\n";
    expect(setVariable(text, "A", "9")).toBe(text.replace("A=1", "A=9"));
    expect(setVariable(text, "B", "y")).toBe("# keys\nA=1\nexport B=y\r\nAB=2\n");
    expect(setVariable(text, "C", "z")).toBe(`${text}C=z\n`);
    expect(setVariable("A=1", "C", "z")).toBe("A=1\nC=z\n");
    expect(setVariable("", "C", "z")).toBe("C=z\n");
  });

  it("writes values that the parser reads back", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "binary" }), (other, value) => {
        fc.pre(!/[\u2028\u2029\u0085]/.test(value));
        const text = setVariable(`X='${other.replace(/['\r\n]/g, "")}'\n`, "NAME", value);
        const { variables, faults } = parseEnvFile(text);
        expect(faults).toEqual([]);
        expect(variables.get("NAME")!.value).toBe(value);
        expect(variables.has("X")).toBe(true);
      }),
    );
  });
});
