/*
 * Keeps what Node compiles of our sources, so that the next process starts in half the time.
 *
 * Beside the dependencies, where nobody writes who could not change these anyway; where nothing can be written, as in a
 * read-only container, nothing is kept and nothing else changes. `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 * To be required before a program: what it imports is compiled before its first line runs.
 */
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-return */
"use strict"

const { enableCompileCache, flushCompileCache } = require("node:module")
const { join } = require("node:path")

/** By then a host is up. */
const STARTED_MS = 5_000

// Node 20 has none, and does not get further than the message that says so.
if (enableCompileCache !== undefined) {
  enableCompileCache(join(__dirname, "..", "node_modules", ".cache", "compiled"))
  // Node writes at the end of a process; one that is killed has none.
  setTimeout(() => flushCompileCache(), STARTED_MS).unref()
}
