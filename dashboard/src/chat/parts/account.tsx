/** Signing in and out, and a person's devices. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Device, Devices, LoginWays, Me, PasswordLogin } from "../../../../src/adapters/web/api.js";
import { Icon } from "../../parts/icons.js";
import { Ago } from "../../parts/time.js";
import { ApiError, errorText } from "../../state/api.js";
import { refreshList } from "../state/list.js";
import { loadMe, me } from "../state/me.js";
import { get, post, remove } from "../state/request.js";
import { go } from "../state/router.js";
import { restartStream } from "../state/stream.js";
import { attempt } from "./actions.js";
import { closeDialog, Dialog } from "./dialogs.js";

export function AccountDialog() {
  const { person, logins } = me.value ?? {};
  if (!person || !logins) return null;
  return person.signedIn ? <SignedIn name={person.name} /> : <SignIn logins={logins} />;
}

/** Reloads everything on the page after signing in or out. */
export async function switchIdentity(next?: Me): Promise<void> {
  if (next) me.value = next;
  await loadMe();
  go("/", { replace: true });
  restartStream();
  await refreshList();
}

function SignIn({ logins: { link, password, oidc } }: { logins: LoginWays }) {
  return (
    <Dialog title="Sign in">
      <p class="quiet">
        Sign in to find your conversations on all your devices. Those in this browser move to your account.
      </p>
      {oidc ? (
        <a class="button primary" href="/api/web/login/oidc">
          {oidc.label}
        </a>
      ) : null}
      {password ? <PasswordForm /> : null}
      {link ? (
        <p>
          Write <code>/login</code> in a chat that is paired with this gateway, then open the link in the
          answer. The owner also finds a link in the terminal where the gateway was started.
        </p>
      ) : null}
    </Dialog>
  );
}

const RETRY_MS = 2000;

function PasswordForm() {
  const name = useSignal("");
  const password = useSignal("");
  const fault = useSignal<string | undefined>(undefined);
  const isSending = useSignal(false);
  const retryTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(retryTimer.current), []);
  const signIn = async () => {
    isSending.value = true;
    clearTimeout(retryTimer.current);
    try {
      const login: PasswordLogin = { name: name.value, password: password.value };
      const next = await post<Me>("/login/password", login);
      closeDialog();
      await switchIdentity(next);
    } catch (error) {
      fault.value = errorText(error);
      // While the gateway is restarting, try again.
      const isTransient = error instanceof ApiError && (error.status === 0 || error.status === 503);
      if (isTransient) retryTimer.current = setTimeout(() => void signIn(), RETRY_MS);
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      <label>
        Name
        <input
          class="field"
          autocomplete="username"
          required
          maxLength={200}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
      </label>
      <label>
        Password
        <input
          class="field"
          type="password"
          autocomplete="current-password"
          required
          maxLength={1000}
          value={password.value}
          onInput={(event) => {
            password.value = event.currentTarget.value;
          }}
        />
      </label>
      {fault.value ? (
        <p class="form-fault" role="alert">
          {fault.value}
        </p>
      ) : null}
      <div class="dialog-buttons">
        <button type="submit" class="button primary" disabled={isSending.value}>
          Sign in
        </button>
      </div>
    </form>
  );
}

function SignedIn({ name }: { name: string | null }) {
  const devices = useSignal<Device[]>([]);
  useEffect(() => {
    void attempt(async () => {
      devices.value = (await get<Devices>("/devices")).devices;
    });
  }, []);
  const signOut = async () => {
    await attempt(async () => {
      await post("/logout");
      closeDialog();
      await switchIdentity();
    });
  };
  const revoke = (id: string) =>
    attempt(async () => {
      await remove(`/devices/${encodeURIComponent(id)}`);
      devices.value = devices.value.filter((one) => one.id !== id);
    });
  return (
    <Dialog title={name ?? "Your account"}>
      <h3>Devices</h3>
      <ul class="devices">
        {devices.value.map(({ id, label, lastSeenAt, current }) => (
          <li key={id}>
            <Icon name="screen" />
            <span class="device">
              <b>{label}</b>
              <span class="quiet">{current ? "This device" : <Ago at={lastSeenAt} />}</span>
            </span>
            {current ? null : (
              <button type="button" class="link" onClick={() => void revoke(id)}>
                Sign out
              </button>
            )}
          </li>
        ))}
      </ul>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={() => void signOut()}>
          <Icon name="logout" small />
          Sign out here
        </button>
      </div>
    </Dialog>
  );
}
