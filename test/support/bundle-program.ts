import { bundleProgram } from "./program-files.js";

/** Threads run bundled code, also when a unit test starts them. */
export default bundleProgram;
