#!/usr/bin/env node
/** The executable of the package: `npx causeway`. */
import { causeway } from "./command/Causeway.ts"
import { runProgram } from "./Program.ts"

// A closed pipe takes no more text, and is no error to report.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1))

runProgram(causeway)
