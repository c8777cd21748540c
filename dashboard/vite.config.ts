import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** Built at package time, served by the daemon under /dashboard with a policy that allows nothing inline. */
export default defineConfig({
  base: "/dashboard/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../dist/dashboard", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // As the packages inside require.
    license: { fileName: "LICENSES.md" },
    // A busy machine is nothing to warn of.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
