import http from "node:http";

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request as given: `fetch` would not let us lie about Host and Origin. */
export function ask(url: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A server that is to close the connection may do so while a refused body is on its way, and take its answer along.
    const kept = { connection: "keep-alive", ...headers };
    const request = http.request(url, { method, headers: kept, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        request.destroy();
      });
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}
