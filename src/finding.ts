/** What a look at something showed: fine, worth a look, or broken; and what to do about it. */
export interface Finding {
  state: "ok" | "warn" | "fail";
  message: string;
  /** What to do about it. */
  fix?: string;
  /** Where to do it. */
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
