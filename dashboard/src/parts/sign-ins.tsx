/** Sign-in to the web chat: login links, and names with passwords. */
import { useState } from "preact/hooks";
import type { LinkAnswer, SignInsAnswer } from "../../../src/http/dashboard/people-types.js";
import { copyText } from "../markdown/copy.js";
import { act } from "../state/act.js";
import { useFetched } from "../state/fetched.js";
import { Confirm } from "./confirm.js";
import { notify } from "./notices.js";

export function SignIns() {
  const { data, reload } = useFetched<SignInsAnswer>("/people/sign-ins");
  if (!data?.names) return null;
  return (
    <section aria-labelledby="sign-ins" class="card">
      <h2 id="sign-ins">Signing in to the web chat</h2>
      <p class="quiet">
        A link signs in once, within ten minutes. This one is yours: it opens the dashboard, too. Links for
        others are on their pages; in a chat, people get their own with <code>/login</code>.
      </p>
      <LoginLink what="Make a link for me" />
      <h3>People with a password</h3>
      {data.names.length === 0 ? <p class="quiet">None yet.</p> : null}
      <ul class="rows">
        {data.names.map((name) => (
          <li key={name} class="person">
            <span class="mono">{name}</span>
            <Confirm
              what="Remove the password"
              of={name}
              question="This name can’t sign in any more; devices that are signed in stay signed in."
              danger
              act={() =>
                act("/people/password/remove", { name }, `${name} has no password any more.`).finally(reload)
              }
            />
          </li>
        ))}
      </ul>
      <PasswordForm limits={data} saved={reload} />
    </section>
  );
}

function PasswordForm({ limits, saved }: { limits: SignInsAnswer; saved(): void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    if (await act("/people/password", { name, password }, `${name} can sign in with this password.`)) {
      setName("");
      setPassword("");
      saved();
    }
    setBusy(false);
  };
  return (
    <form class="action-buttons" onSubmit={(event) => void save(event)}>
      <label class="labelled">
        <span>Name: letters, digits and . @ _ -</span>
        <input
          class="field"
          required
          maxLength={100}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="labelled">
        <span>
          Password, {limits.minChars} to {limits.maxChars} characters
        </span>
        <input
          class="field"
          type="password"
          required
          minLength={limits.minChars}
          maxLength={limits.maxChars}
          autocomplete="new-password"
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={busy}>
        Set the password
      </button>
    </form>
  );
}

interface LoginLinkProps {
  what: string;
  /** Undefined: the operator. */
  person?: { platform: string; userId: string };
}

/** The link is shown once: anyone who has it can sign in. */
export function LoginLink({ what, person }: LoginLinkProps) {
  const [link, setLink] = useState<string>();
  const make = async () => {
    const made = await act<LinkAnswer>("/people/login-link", person ? { person } : {}, "The link is ready.");
    if (made) setLink(window.location.origin + made.path);
  };
  const copy = async () => {
    if (await copyText(link ?? "")) notify("The link was copied.");
    else notify("The browser doesn’t allow copying: select the link instead.", "failed");
  };
  return (
    <div class="action-buttons">
      {link === undefined ? null : (
        <label class="labelled">
          <span>The first person who opens it is signed in</span>
          <input class="field mono" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      {link === undefined ? null : (
        <button type="button" class="button" onClick={() => void copy()}>
          Copy the link
        </button>
      )}
      <button type="button" class="button" onClick={() => void make()}>
        {link === undefined ? what : "Make another link"}
      </button>
    </div>
  );
}
