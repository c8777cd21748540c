/** What must be gone afterwards: after the test, or where no test runs (`npm run chaos`), when `endAll` is called. */
type Work = () => unknown;

const vitest = process.env.VITEST ? await import("vitest") : undefined;
const left: Work[] = [];
let ending = false;
/** Set while something is made that several tests use. */
let common: Work[] | undefined;

export function atEnd(work: Work): void {
  if (common) common.push(work);
  else if (vitest) vitest.onTestFinished(async () => void (await work()));
  else left.push(work);
}

/** What is made here in `beforeAll` stays until `end`, which belongs into `afterAll`. */
export async function forSeveral<T>(make: () => Promise<T>): Promise<{ made: T; end(): Promise<void> }> {
  const works: Work[] = [];
  common = works;
  try {
    const made = await make();
    return {
      made,
      end: async () => {
        while (works.length > 0) await works.pop()!();
      },
    };
  } finally {
    common = undefined;
  }
}

/** Loops that restart things stop now. */
export const isEnding = () => ending;

/** The youngest first. A failure doesn't keep the others from ending. */
export async function endAll(): Promise<void> {
  ending = true;
  const failures: unknown[] = [];
  while (left.length > 0)
    try {
      await left.pop()!();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}
