/** Which backups go when only so many are kept, and when the next one is due. Names sort by their time. */

const NAME = /^hermes-\d{8}_\d{6}(?:-\d+)?\.tar\.gz$/;

export const backupName = (stamp: string) => `hermes-${stamp}.tar.gz`;

export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

/** Only what we named ourselves is ever removed. */
export function outdated(names: readonly string[], keep: number): string[] {
  const ours = names.filter(isBackupName).sort();
  return ours.slice(0, Math.max(0, ours.length - keep));
}

export function isDue(lastAt: number | undefined, everyHours: number, now: number): boolean {
  // One from the future means that the clock was set back.
  return everyHours > 0 && (lastAt === undefined || lastAt > now || now - lastAt >= everyHours * 3600);
}
