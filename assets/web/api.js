/** Requests to the daemon. Every answer is JSON; a fault carries the sentence to show. */

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function get(path) {
  return request(path, {});
}

export function post(path, body) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function request(path, init) {
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(30_000) });
  // Logged out: the page itself leads to the login.
  if (response.status === 401) location.reload();
  const body = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new ApiError(response.status, body.error?.message ?? `The gateway answered ${response.status}`);
  return body;
}
