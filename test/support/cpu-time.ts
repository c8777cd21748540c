const RUNS = 15;
const CALLS_PER_RUN = 5;

/** CPU microseconds, the best of several runs, because other load only adds time. */
export function cpuTime(work: () => unknown): number {
  const runs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    for (let i = 0; i < CALLS_PER_RUN; i += 1) work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}
