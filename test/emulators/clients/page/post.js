/** Asks the server to do something. Returns what went wrong, or nothing. */
export async function post(what, body = {}) {
  try {
    const response = await fetch(`/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.ok ? "" : await response.text();
  } catch {
    return "Not sent: the demo has ended.";
  }
}
