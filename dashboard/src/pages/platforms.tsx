import { useRef, useState } from "preact/hooks";
import type {
  Ability,
  BotAnswer,
  PlatformsAnswer,
  RecentError,
  ShownLink,
  TestAnswer,
} from "../../../src/http/dashboard/operations-types.js";
import { bytes, counted, platformName } from "../format.js";
import { Badge, Platform, type Tone } from "../parts/badges.js";
import { Confirm } from "../parts/confirm.js";
import { LastProof, PlatformState, ReconnectButton } from "../parts/connection-state.js";
import { Icon } from "../parts/icons.js";
import { notify } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { QrCode } from "../parts/qr-code.js";
import { Empty, LoadingOrFailed } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { notifyError } from "../state/act.js";
import { newKey, post } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { overview } from "../state/live.js";
import { href } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";

/** Changes with a bot's state, and every ten seconds, because new errors don't change the state. */
function useMark(): string {
  const shown = overview.value;
  const states = shown?.platforms.map(({ platform, account, state, detail }) => [
    platform,
    account,
    state,
    detail,
  ]);
  return useThrottled(JSON.stringify([states, Math.floor((shown?.at ?? 0) / 10)]), 1000);
}

export function PlatformsPage() {
  const fetched = useFetched<PlatformsAnswer>("/platforms", useMark());
  const { data, reload } = fetched;
  return (
    <Page title="Platforms">
      {data?.bots.map((bot) => (
        <Bot key={`${bot.platform} ${bot.account}`} bot={bot} reload={reload} />
      ))}
      {data?.bots.length === 0 ? (
        <Empty title="No platform is configured">`hermes setup` adds one.</Empty>
      ) : null}
      {data && data.off.length > 0 ? <Off off={data.off} /> : null}
      <LoadingOrFailed of={fetched} rows={4} />
    </Page>
  );
}

const ABILITIES: Record<Ability, string> = {
  files: "files",
  streaming: "live answers",
  typing: "a typing indicator",
  buttons: "buttons",
  reactions: "reactions",
  menu: "a menu of commands",
  lookup: "checking after a crash what has arrived",
};

function Bot({ bot, reload }: { bot: BotAnswer; reload(): void }) {
  const { platform, account, state, lastProofAt, detail, isOff } = bot;
  return (
    <section
      class="card bot"
      aria-label={`${platformName(platform)} ${account}`}
      data-bot={`${platform} ${account}`}
    >
      <div class="card-head">
        <h2>
          <Platform name={platform} /> <span class="quiet mono anywhere">{account}</span>
        </h2>
        <p class="bot-state">
          <LastProof at={lastProofAt} />
          <PlatformState state={isOff ? "off" : state} />
        </p>
      </div>
      {detail ? <p class="anywhere">{detail}</p> : null}
      {bot.link ? <LinkAccount link={bot.link} /> : null}
      <p class="quiet anywhere">{abilitiesOf(bot)}</p>
      <Buttons bot={bot} reload={reload} />
      {bot.canWrite ? <TestMessage bot={bot} reload={reload} /> : null}
      <Errors errors={bot.errors} />
    </section>
  );
}

function abilitiesOf({ abilities, maxFileBytes }: BotAnswer): string {
  const names = abilities.map((ability) =>
    ability === "files" && maxFileBytes !== null ? `files up to ${bytes(maxFileBytes)}` : ABILITIES[ability],
  );
  return `Text${names.length > 0 ? `, ${names.join(", ")}` : " only"}.`;
}

function LinkAccount({ link }: { link: ShownLink }) {
  return "qr" in link ? <QrCode rows={link.qr} /> : <p class="link-code mono">{link.code}</p>;
}

interface BotProps {
  bot: BotAnswer;
  reload(): void;
}

function Buttons({ bot, reload }: BotProps) {
  const [busy, setBusy] = useState(false);
  const { platform, account, isOff } = bot;
  const of = `${platformName(platform)} ${account}`;
  const act = async (action: "connect" | "disconnect" | "reconnect") => {
    setBusy(true);
    try {
      const done = await post<{ state?: string; detail?: string | null }>(`/platforms/${action}`, {
        platform,
        account,
      });
      if (action === "disconnect") notify(`${of} is disconnected.`);
      else if (done.state === "ok") notify(`${of} is connected.`);
      else notify(`${of} is not connected yet${done.detail ? `: ${done.detail}` : "."}`, "failed");
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
    reload();
  };
  return (
    <div class="action-buttons">
      {isOff ? (
        <button type="button" class="button primary" disabled={busy} onClick={() => void act("connect")}>
          <Icon name="plug" small />
          {busy ? "Connecting…" : "Connect"}
          <span class="unseen"> {of}</span>
        </button>
      ) : (
        <>
          <ReconnectButton of={of} busy={busy} onClick={() => void act("reconnect")} />
          <Confirm
            what="Disconnect"
            of={of}
            question="Nothing is sent or received until it is connected again, or the gateway restarts. Answers wait."
            danger
            act={() => act("disconnect")}
          />
        </>
      )}
    </div>
  );
}

function TestMessage({ bot, reload }: BotProps) {
  const { platform, account, chats } = bot;
  const [to, setTo] = useState("");
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<TestAnswer | undefined>();
  const key = useRef(newKey());
  const list = `chats-${platform}-${account}`;
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setResult(undefined);
    const asked = to.trim() || chats[0]?.to || "";
    const full = asked.startsWith(`${platform}:`) ? asked : `${platform}:${asked}`;
    try {
      setResult(await post<TestAnswer>("/platforms/test", { platform, account, to: full, key: key.current }));
      key.current = newKey();
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
    reload();
  };
  return (
    <form class="action-buttons test-message" onSubmit={(event) => void send(event)}>
      <label class="labelled">
        <span>Send a test message to</span>
        <input
          class="field"
          list={list}
          maxLength={500}
          required={chats.length === 0}
          placeholder={chats[0] ? labelOf(chats[0]) : `${platform}:CHAT`}
          value={to}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <datalist id={list}>
        {chats.map((chat) => (
          <option key={chat.to} value={chat.to}>
            {chat.name ?? chat.to}
          </option>
        ))}
      </datalist>
      <button type="submit" class="button" disabled={busy}>
        {busy ? "Sending…" : "Send a test message"}
      </button>
      {result ? <TestResult result={result} /> : null}
    </form>
  );
}

const labelOf = ({ to, name }: BotAnswer["chats"][number]) => (name ? `${name} (${to})` : to);

const RESULTS: Record<TestAnswer["state"], [string, Tone]> = {
  sent: ["Sent", "good"],
  waiting: ["Waiting", "wait"],
  failed: ["Not sent", "bad"],
};

function TestResult({ result: { id, to, state, error } }: { result: TestAnswer }) {
  const [label, tone] = RESULTS[state];
  return (
    <p class="test-result anywhere" role="status">
      <Badge tone={tone}>{label}</Badge> {id} to {to}
      {error ? `: ${error}` : null}
    </p>
  );
}

function Errors({ errors }: { errors: readonly RecentError[] }) {
  if (errors.length === 0) return null;
  return (
    <details>
      <summary>{counted(errors.length, "recent error")}</summary>
      <ol class="errors">
        {errors.map(({ at, level, text, count, traceId }) => (
          <li key={`${at} ${text}`}>
            <Badge tone={level === "error" ? "bad" : "wait"}>{level === "error" ? "Error" : "Warning"}</Badge>
            <span class="anywhere">
              {text}
              {count > 1 ? <span class="quiet"> ({counted(count, "time")})</span> : null}
            </span>
            <span class="quiet">
              <Ago at={at} />
              {traceId ? (
                <>
                  {" · "}
                  <a href={href(`/messages/${traceId}`)}>trace</a>
                </>
              ) : null}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

function Off({ off }: { off: PlatformsAnswer["off"] }) {
  return (
    <section class="card" aria-labelledby="off">
      <h2 id="off">Configured, but not running</h2>
      <ul class="rows">
        {off.map(({ platform, reason }) => (
          <li key={platform} class="platform-row" data-off={platform}>
            <Platform name={platform} />
            <span class="quiet anywhere">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
