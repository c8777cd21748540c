import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { accessProblem } from "../../src/policies/access-problem.js";
import { accessListsOf, dmBehaviourOf } from "../../src/rules.js";

function problemOf(yaml: string) {
  const { config } = loadConfig({ home: "/nonexistent", env: {}, texts: { config: yaml, env: "" } });
  return accessProblem("telegram", accessListsOf(config, "telegram"), dmBehaviourOf(config, "telegram"));
}

describe("who may talk on a platform", () => {
  it.each([
    ["strangers can pair", "{}"],
    ["everyone may talk", "allow_all: true"],
    ["an owner is enough", "owners: ['telegram:1']\nunauthorized_dm_behavior: ignore"],
    [
      "people are listed and strangers can pair",
      "platforms: {telegram: {allow_from: [1], dm_policy: pairing}}",
    ],
    ["people are listed on purpose", "platforms: {telegram: {allow_from: [1], dm_policy: allowlist}}"],
    ["rooms are open", "platforms: {telegram: {dm_policy: disabled, group_policy: open}}"],
  ])("is no problem if %s", (_, yaml) => {
    expect(problemOf(yaml)).toBeUndefined();
  });

  it.each([
    "unauthorized_dm_behavior: ignore",
    "platforms: {telegram: {dm_policy: disabled}}",
    "owners: ['discord:1']\nplatforms: {telegram: {unauthorized_dm_behavior: ignore}}",
  ])("is a problem if it is no one: %s", (yaml) => {
    expect(problemOf(yaml)).toMatchObject({
      level: "warn",
      text: expect.stringContaining("No one can talk"),
    });
  });

  it("is mentioned if an allowlist disables pairing", () => {
    const problem = problemOf("platforms: {telegram: {allow_from: [1]}}");
    expect(problem).toMatchObject({ level: "info", text: expect.stringContaining("no pairing code") });
  });
});
