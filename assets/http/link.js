// The code of a login link is behind the "#", so that only this page sees it.
const status = document.querySelector("#status");
const code = location.hash.slice(1);
// No other way on: the address may come from anybody.
const next = new URLSearchParams(location.search).get("next") === "/dashboard" ? "/dashboard" : "/";
history.replaceState(null, "", location.pathname);

/** The gateway is restarting, or an answer is being written in this browser: both pass. */
const PASSING = new Map([
  [0, "The gateway can't be reached. Trying again …"],
  [503, "The gateway is starting. Trying again …"],
  [409, "An answer is being written in this browser. Signing in after it …"],
]);
const PAUSE_MS = 1000;
/** The link is good for ten minutes. */
const MAX_TRIES = 600;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

async function enter() {
  const response = await fetch("/api/web/login/link", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (response?.ok) return { done: true };
  const body = await response?.json().catch(() => undefined);
  const passing = PASSING.get(response?.status ?? 0);
  return { done: false, passing, message: passing ?? body?.error?.message ?? "This link doesn't work." };
}

for (let tries = 0; tries < MAX_TRIES; tries += 1) {
  const { done, passing, message } = await enter();
  if (done) location.replace(next);
  else status.textContent = message;
  if (done || !passing) break;
  await pause();
}
