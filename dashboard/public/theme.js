// Before the first paint: a chosen theme shows no flash of the other one.
try {
  const chosen = localStorage.getItem("hermes-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing follows the system.
}
