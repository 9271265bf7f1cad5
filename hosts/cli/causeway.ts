#!/usr/bin/env node
/** The executable of the package: `npx causeway`. */
import { handOver } from "./HandOver.ts"

if (!await handOver()) {
  // A closed pipe takes no more text, and is no error to report.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1))
  const [{ causeway }, { runProgram }] = await Promise.all([import("./command/Causeway.ts"), import("./Program.ts")])
  runProgram(causeway)
}
