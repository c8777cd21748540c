#!/usr/bin/env node
import { guardProcess } from "./exits.js";
import { run } from "./run.js";

guardProcess();
process.exitCode = await run(process.argv.slice(2));
