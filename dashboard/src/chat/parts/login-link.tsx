import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Me } from "../../../../src/adapters/web/api.js";
import { post, sentenceOf } from "../state/request.js";

/** `/login/link#CODE`: the code is behind the hash, so that no log on the way has it. */
export function LoginLink() {
  const fault = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const code = window.location.hash.slice(1);
    // It is good for one use: nothing to keep in the history.
    history.replaceState(null, "", "/login/link");
    if (code === "") fault.value = "This link is incomplete. Ask for a new one.";
    else
      post<Me>("/login/link", { code }).then(
        () => window.location.replace("/"),
        (error: unknown) => {
          fault.value = sentenceOf(error);
        },
      );
  }, []);
  return (
    <main class="single">
      <img src="/chat/favicon.svg" alt="" width="48" height="48" />
      <h1>{fault.value ? "You are not signed in" : "Signing in…"}</h1>
      {fault.value ? <p role="alert">{fault.value}</p> : null}
      {fault.value ? (
        <a class="button" href="/">
          Go to the chat
        </a>
      ) : null}
    </main>
  );
}
