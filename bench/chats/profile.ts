import fs from "node:fs";
import path from "node:path";

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

/**
 * Measures the share of some code, including its callees, in the main thread's CPU profile. `node --cpu-prof` writes one
 * file per thread; the main thread's name ends in `.0.…`.
 */
export class MainThread {
  readonly #profile: Profile;
  readonly #micros = new Map<number, number>();

  constructor(folder: string) {
    const file = fs
      .readdirSync(folder)
      .find((name) => /^CPU\.\d+\.\d+\.\d+\.0\.\d+\.cpuprofile$/.test(name))!;
    this.#profile = JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"));
    const { samples, timeDeltas } = this.#profile;
    for (const [n, id] of samples.entries())
      this.#micros.set(id, (this.#micros.get(id) ?? 0) + timeDeltas[n]!);
  }

  /** In percent of the thread's busy time. */
  share(isIt: (name: string, url: string) => boolean): number {
    const byId = new Map(this.#profile.nodes.map((node) => [node.id, node]));
    const own = (id: number) => this.#micros.get(id) ?? 0;
    const under = (id: number): number =>
      own(id) + (byId.get(id)!.children ?? []).reduce((sum, child) => sum + under(child), 0);
    const found = (id: number): number => {
      const { callFrame, children = [] } = byId.get(id)!;
      if (isIt(callFrame.functionName, callFrame.url)) return under(id);
      return children.reduce((sum, child) => sum + found(child), 0);
    };
    const root = this.#profile.nodes[0]!.id;
    const idle = this.#profile.nodes.filter(({ callFrame }) =>
      /^\((idle|program)\)$/.test(callFrame.functionName),
    );
    const busy = under(root) - idle.reduce((sum, { id }) => sum + own(id), 0);
    return (found(root) / busy) * 100;
  }
}
