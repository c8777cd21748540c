/** What must be gone afterwards: after the test, or where no test runs (`npm run chaos`), when `endAll` is called. */
type Work = () => unknown;

const vitest = process.env.VITEST ? await import("vitest") : undefined;
const left: Work[] = [];

export function atEnd(work: Work): void {
  if (vitest) vitest.onTestFinished(async () => void (await work()));
  else left.push(work);
}

/** The youngest first. */
export async function endAll(): Promise<void> {
  while (left.length > 0) await left.pop()!();
}
