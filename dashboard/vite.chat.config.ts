import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import dashboard from "./vite.config.js";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The web chat: a page of its own, which the daemon serves at `/`. Its files are below `/chat/`. */
export default defineConfig({
  ...dashboard,
  base: "/chat/",
  build: {
    ...dashboard.build,
    outDir: path("../dist/chat"),
    rolldownOptions: { ...dashboard.build?.rolldownOptions, input: path("chat.html") },
  },
});
