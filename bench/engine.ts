/** The compiled store with the types of its source. */
const compiled = new URL("../dist/store/sqlite/index.js", import.meta.url).href;

export const { openStore } = (await import(compiled)) as typeof import("../src/store/sqlite/index.js");
