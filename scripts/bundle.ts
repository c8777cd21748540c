import fs from "node:fs";
import path from "node:path";
import { build, type Plugin } from "rolldown";

const DAY_MS = 24 * 3600 * 1000;

/**
 * Runs in `npm run build` after tsc: replaces the program and its threads with bundles, which start faster and use less
 * memory. The library (`dist/index.js`) stays as tsc wrote it.
 */
await build({
  input: {
    "cli/hermes": "src/cli/hermes.ts",
    plugin: "src/plugin.ts",
    "store/sqlite/worker": "src/store/sqlite/worker.ts",
    "hooks/worker": "src/hooks/worker.ts",
    "sessions/files-worker": "src/sessions/files-worker.ts",
    "tools/web/article-worker": "src/tools/web/article-worker.ts",
  },
  platform: "node",
  logLevel: "warn",
  // Optional native modules that speed up WebSockets, and one that draws pictures in pages.
  external: ["bufferutil", "canvas", "utf-8-validate", "zlib-sync"],
  checks: { bundlerTimings: false },
  output: {
    dir: "dist",
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  },
  plugins: [withoutOldChunks("dist/chunks"), narrowSource(), licenses("chunks/LICENSES.txt")],
});

/** Chunk names change with their content. A gateway started before the build still loads the previous chunks. */
function withoutOldChunks(folder: string): Plugin {
  return {
    name: "without-old-chunks",
    generateBundle: () => {
      for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
        const file = path.join(folder, name);
        if (fs.statSync(file).mtimeMs < Date.now() - DAY_MS) fs.rmSync(file);
      }
    },
  };
}

/** V8 keeps the source in memory, with two bytes per character if a single one isn't Latin-1. Escapes those. */
function narrowSource(): Plugin {
  // An escaped character of a regular expression (`\→`) is the character itself.
  const escaped = (_: string, slashes: string, unit: string) =>
    `${slashes.length % 2 === 1 ? slashes.slice(1) : slashes}\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return {
    name: "narrow-source",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === "chunk") file.code = file.code.replace(/(\\*)([^\0-\xff])/g, escaped);
    },
  };
}

/** Adds the licenses of all bundled packages, as they require. */
function licenses(fileName: string): Plugin {
  return {
    name: "licenses",
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
      const source = [...folders]
        .toSorted()
        .map(licenseOf)
        .join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName, source });
    },
  };
}

/** `…/node_modules/@slack/web-api/dist/index.js` → `…/node_modules/@slack/web-api`; undefined for our own code. */
function packageFolder(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module.replaceAll("\\", "/"))?.[0];
}

function licenseOf(folder: string): string {
  const manifest = fs.readFileSync(path.join(folder, "package.json"), "utf8");
  const { name, version, license } = JSON.parse(manifest) as Record<"name" | "version" | "license", string>;
  const file = fs.readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  const text = file ? fs.readFileSync(path.join(folder, file), "utf8").trim() : "";
  return `${name} ${version} (${license})\n\n${text}\n`;
}
