/** Worker thread that reads one page and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { articleOf } from "./article.js";

const { html, url } = workerData as { html: string; url: string };
parentPort?.postMessage(articleOf(html, url));
