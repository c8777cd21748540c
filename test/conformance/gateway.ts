/** A gateway whose `/mcp` can be checked: the checks know no tokens, so a proxy adds it. */
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { atEnd } from "../support/at-end.js";
import { Daemon } from "../support/daemon.js";

/** The address to check. */
export async function checkedGateway(): Promise<string> {
  const daemon = await new Daemon({ yaml: "platforms: {}\n" }).start();
  atEnd(() => daemon.stop());
  const token = fs.readFileSync(path.join(daemon.home, "dashboard.token"), "utf8").trim();
  const proxy = http.createServer((request, response) => {
    const { method, url = "/", headers } = request;
    const passed = http.request(new URL(url, daemon.url), {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  atEnd(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}
