import { me } from "../state/me.js";
import { fillComposer } from "./composer-text.js";

const STARTS = [
  { title: "What can you do?", text: "What can you do for me? Give me a few examples." },
  { title: "Explain something", text: "Explain to me, in simple words, how " },
  { title: "Write with me", text: "Help me write a short message to " },
  { title: "Plan my day", text: "Help me plan my day. I have to " },
];

/** Shown in an empty conversation. */
export function Welcome() {
  const name = me.value?.person.name;
  return (
    <section class="welcome" aria-labelledby="welcome">
      <img src="/chat/favicon.svg" alt="" width="48" height="48" />
      <h2 id="welcome">{name ? `Hello, ${name}` : "What can I do for you?"}</h2>
      <p>
        Write something, add a file, or type <kbd>/</kbd> for commands.
      </p>
      <ul>
        {STARTS.map(({ title, text }) => (
          <li key={title}>
            <button type="button" onClick={() => fillComposer(text)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
