/** Shows the state that the server sends, client by client. */

import { Client } from "/client.js";
import { Tour } from "/tour.js";
import { byId, el } from "./dom.js";

const clients = new Map();
const tour = new Tour(byId("tour"));

function show(state) {
  byId("title").textContent = state.title;
  document.title = state.title;
  for (const view of state.clients) {
    if (!clients.has(view.name)) add(view);
    clients.get(view.name).show(view);
  }
  showGateway(state.gateway);
  if (state.tour) tour.show(state.tour, focus);
}

function add(view) {
  const client = new Client(view);
  clients.set(view.name, client);
  byId("clients").append(client.element);
  const tab = el("button", "", view.title);
  tab.type = "button";
  tab.addEventListener("click", () => choose(view.name));
  tab.dataset.client = view.name;
  byId("tabs").append(tab);
  if (clients.size === 1) choose(view.name);
}

/** On a phone, one client at a time. */
function choose(name) {
  for (const [key, client] of clients) client.element.classList.toggle("chosen", key === name);
  for (const tab of byId("tabs").children)
    tab.setAttribute("aria-pressed", String(tab.dataset.client === name));
}

/** Where the tour is now. */
function focus({ client, chat }) {
  for (const [key, one] of clients) one.element.classList.toggle("focus", key === client);
  if (!client) return;
  choose(client);
  clients.get(client)?.open(chat);
}

function showGateway(gateway) {
  const sign = byId("gateway");
  sign.hidden = !gateway;
  if (!gateway) return;
  sign.dataset.state = gateway.state;
  sign.textContent = gateway.text;
}

const events = new EventSource("/events");
events.addEventListener("message", ({ data }) => show(JSON.parse(data)));
events.addEventListener("error", () => showGateway({ state: "down", text: "The demo has ended" }));
events.addEventListener("open", () => showGateway(undefined));
