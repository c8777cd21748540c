import type { ToolCall, ToolDefinition } from "../../src/tools/tool.js";
import { until } from "./until.js";

/** A tool that reports its calls and, while it is held, ends none of them. */
export class HeldTool {
  readonly calls: { args: Record<string, unknown>; call: ToolCall }[] = [];
  isHeld = false;
  readonly definition: ToolDefinition;

  constructor(given: Partial<ToolDefinition> = {}) {
    const name = given.name ?? "act";
    this.definition = {
      ...{ name, toolset: "own", description: "acts", parameters: {}, effect: "write", repeat: "never" },
      allow: ["paired"],
      run: (args, call) => {
        this.calls.push({ args, call });
        return this.isHeld
          ? new Promise(() => undefined)
          : Promise.resolve(`did ${name} ${args.n ?? ""}`.trim());
      },
      ...given,
    };
  }

  get keys(): string[] {
    return this.calls.map(({ call }) => call.idempotencyKey);
  }

  async called(count: number): Promise<void> {
    await until(`${this.definition.name} was called ${count} times`, () => this.calls.length >= count, {
      found: () => this.calls.length,
    });
  }
}
