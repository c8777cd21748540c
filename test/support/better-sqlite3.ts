/** What `better-sqlite3` means in the tests (vitest.config.ts): the line of it that runs on this Node. */
export { Database as default } from "../../src/store/sqlite/driver.js";
