/** For a look at a file that may not be there: `.catch(ifMissing([]))`. Any other error is a real one, and is thrown. */
export function ifMissing<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  };
}
