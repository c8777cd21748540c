import type { Survey, SurveyQuestions } from "./sqlite/survey.js";

export type { Survey } from "./sqlite/survey.js";

/** Inspects a `state.db`, perhaps of another program, without changing a byte. Loaded on demand. */

export async function surveyFile(path: string, questions: SurveyQuestions): Promise<Survey> {
  const { survey } = await import("./sqlite/survey.js");
  return survey(path, questions);
}

/** The other processes that have the file open. */
export async function usersOfFile(path: string): Promise<number[]> {
  const { usersOf } = await import("./sqlite/untouched.js");
  return usersOf(path);
}

/** Whether another Hermes program wrote the file and it was not adopted. */
export async function isForeignFile(path: string): Promise<boolean> {
  const { lookUntouched } = await import("./sqlite/untouched.js");
  const { isForeign } = await import("./sqlite/foreign.js");
  const { kindOf } = await import("./sqlite/prepare.js");
  return lookUntouched(path, (db) => isForeign(db, kindOf(db, path)));
}

/** The version of SQLite, after a check that it is safe to use. */
export async function sqliteVersion(): Promise<string> {
  const connect = await import("./sqlite/connect.js");
  return connect.sqliteVersion();
}
