/** For a look at a file that may not be there: `.catch(ifMissing([]))`. Any other error is a real one, and is thrown. */
export function ifMissing<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: something else is where its folder would be.
    if (code === "ENOENT" || code === "ENOTDIR") return otherwise;
    throw error;
  };
}
