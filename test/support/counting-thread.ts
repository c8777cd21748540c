import { FilesThread } from "../../src/sessions/files-thread.js";

/** Tells what the thread was asked to do. */
export class CountingThread extends FilesThread {
  readonly asked: string[] = [];

  override call: FilesThread["call"] = (verb, args) => {
    this.asked.push(verb);
    return super.call(verb, args);
  };
}
