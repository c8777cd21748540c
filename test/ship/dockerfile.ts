/** Enough of a Dockerfile to check it and to follow its steps. */

export interface Step {
  instruction: string;
  args: string;
}

export interface Stage {
  name: string;
  base: string;
  steps: Step[];
}

export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replace(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  for (const line of lines) {
    const [, instruction, args] = /^(\w+)\s+(.*)$/.exec(line)!;
    if (instruction === "FROM") {
      const [, base, name] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(args!)!;
      stages.push({ base: base!, name: name ?? "", steps: [] });
    } else {
      stages.at(-1)!.steps.push({ instruction: instruction!, args: args! });
    }
  }
  return stages;
}

export const argsOf = (stage: Stage, instruction: string) =>
  stage.steps.filter((step) => step.instruction === instruction).map((step) => step.args);

/** `["a", "b"]` as a list. */
export const execForm = (args: string) => JSON.parse(args) as string[];
