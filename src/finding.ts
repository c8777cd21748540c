/** The result of a check: ok, a warning or an error, and how to fix it. */
export interface Finding {
  state: "ok" | "warn" | "fail";
  message: string;
  /** How to fix it. */
  fix?: string;
  /** The page where to fix it. */
  page?: string;
}

export const found = {
  ok: (message: string): Finding => ({ state: "ok", message }),
  warn: (message: string, fix: string, page?: string): Finding => make("warn", message, fix, page),
  fail: (message: string, fix?: string, page?: string): Finding => make("fail", message, fix, page),
};

function make(
  state: Finding["state"],
  message: string,
  fix: string | undefined,
  page: string | undefined,
): Finding {
  return { state, message, ...(fix === undefined ? {} : { fix }), ...(page === undefined ? {} : { page }) };
}
