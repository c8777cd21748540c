import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { nowSeconds } from "../../src/clock.js";
import { EventStreams } from "../../src/http/dashboard/streams.js";
import { setLogin } from "../../src/http/token.js";
import { startHttp } from "../support/http.js";
import { EventReader } from "./support/events.js";

const TOKEN = "the-token";
const BEARER = { authorization: `Bearer ${TOKEN}` };

async function startStreams() {
  const devices = new Set(["laptop"]);
  const streams = new EventStreams({ max: 1, log: { warn() {} } });
  const server = await startHttp({
    ...{ host: "127.0.0.1", port: 0, token: TOKEN, isOwnerDevice: async (device) => devices.has(device) },
    routes: (app) => {
      app.post("/enter", (c) => {
        setLogin(c, TOKEN, nowSeconds(), "laptop");
        return c.body(null, 204);
      });
      app.get("/stream", (c) =>
        streams.serve(c, async ({ send, ended }) => {
          while (!ended.aborted) {
            await send("tick", "{}");
            await sleep(10);
          }
        }),
      );
    },
  });
  onTestFinished(async () => {
    streams.close();
    await server.close();
  });
  const entered = await fetch(`${server.url}/enter`, { method: "POST", headers: BEARER });
  const cookie = entered.headers.getSetCookie()[0]!.split(";", 1)[0]!;
  return { url: `${server.url}/stream`, devices, cookie };
}

it("a stream ends when its device is signed out", async () => {
  const { url, devices, cookie } = await startStreams();
  const events = await EventReader.open(url, { cookie });
  await events.next("tick");
  devices.clear();
  await events.over();
  expect((await fetch(url, { headers: { cookie } })).status).toBe(401);
  // Its place is free again, and programs with the token have nothing to be signed out of.
  const other = await EventReader.open(url, BEARER);
  await other.next("tick");
  await other.next("tick");
  other.close();
});

it("asking for the head of a stream takes no place", async () => {
  const { url } = await startStreams();
  for (let i = 0; i < 3; i += 1)
    expect((await fetch(url, { method: "HEAD", headers: BEARER })).status).toBe(200);
});
