// The code of a login link is behind the "#", so that only this page sees it.
const status = document.querySelector("#status");
const code = location.hash.slice(1);
// No other way on: the address may come from anybody.
const next = new URLSearchParams(location.search).get("next") === "/dashboard" ? "/dashboard" : "/";
history.replaceState(null, "", location.pathname);
const response = await fetch("/api/web/login/link", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ code }),
}).catch(() => undefined);
if (response?.ok) location.replace(next);
else {
  const body = await response?.json().catch(() => undefined);
  status.textContent =
    body?.error?.message ?? "The gateway can't be reached. Open the link again in a moment.";
}
