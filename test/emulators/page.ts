/** The page on which a person types as Ann, with a column for each platform. */
import { ANN, type Emulated, type Line } from "./emulated.js";

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

function item({ id, from, text, buttons }: Line, chat: string): string {
  const forms = buttons.map(
    (
      label,
    ) => `<form method="post" action="/${chat}"><input type="hidden" name="message" value="${escaped(id)}">
      <button name="button" value="${escaped(label)}">${escaped(label)}</button></form>`,
  );
  const who = from === ANN ? "ann" : "bot";
  return `<li class="${who}"><b>${escaped(from)}</b> ${escaped(text)}${forms.join("")}</li>`;
}

function column({ name, lines }: Emulated): string {
  const items = lines().map((line) => item(line, name));
  return `<section><h2>${name}</h2><ol>${items.join("")}</ol>
      <form method="post" action="/${name}"><input name="text" aria-label="Message on ${name}" autocomplete="off" placeholder="Write as ${ANN}"></form>
    </section>`;
}

export function page(emulated: readonly Emulated[]): string {
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Emulated platforms</title>
<style>body{font:15px system-ui;margin:1rem;display:flex;gap:1rem;flex-wrap:wrap}section{flex:1;min-width:260px}
ol{list-style:none;padding:0}li{padding:.4rem;margin:.3rem 0;border-radius:.4rem;background:#eee;color:#111;white-space:pre-wrap}
.ann{background:#d9efe8}input{width:100%;padding:.5rem;box-sizing:border-box}</style>
${emulated.map(column).join("")}
<script>setInterval(async()=>{if(document.activeElement?.value)return;const t=await(await fetch("/")).text();
const fresh=[...new DOMParser().parseFromString(t,"text/html").querySelectorAll("ol")];document.querySelectorAll("ol").forEach((o,i)=>o.replaceWith(fresh[i]))},1000)</script>`;
}

/** What a form of the page sends: a text, or a press of a button. */
export function take(form: URLSearchParams, { say, lines, press }: Emulated): void {
  const text = form.get("text")?.trim();
  if (text) say(text);
  const label = form.get("button");
  const message = lines().find(({ id }) => id === form.get("message"));
  if (message && label && message.buttons.includes(label)) press?.(message.id, label);
}
