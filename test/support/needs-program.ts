/** Call it before something loads the compiled program: the unit project doesn't compile it. */
export function needsProgram(): void {
  if (process.env.TEST_PROJECT === "unit")
    throw new Error("This test loads the compiled program: add its file to E2E_TESTS in test/projects.ts.");
}
