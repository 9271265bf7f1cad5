/**
 * Compiles adapters/solana/program/src to depository.so beside it, with Debian's clang-19 and our linker (scripts/sbf).
 *
 *   node scripts/compile-program.ts           writes it, when it has changed; where there is no clang-19 it says so and ends with 0
 *   node scripts/compile-program.ts --check   writes nothing; ends with 1 when it differs from its sources, or cannot be compared
 *
 * The same sources give the same bytes on every machine with the same compiler: no path, time or name of a machine is in them.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { compileProgram } from "./sbf/Compile.ts"
import { findBinary } from "./testing/Capability.ts"

const PROGRAM = resolve(import.meta.dirname, "../adapters/solana/program")
const FILE = join(PROGRAM, "depository.so")

const main = (check: boolean): number => {
  const clang = findBinary("clang-19")
  if (clang === undefined) {
    console.error("clang-19 is not installed (Debian: apt-get install clang-19): depository.so is left as it is")
    return check ? 1 : 0
  }
  const { program, syscalls } = compileProgram(clang, join(PROGRAM, "src/depository.c"))
  if (readFileSync(FILE).equals(program)) {
    console.log("depository.so is what its sources say")
    return 0
  }
  if (check) {
    console.error("depository.so differs from its sources")
    return 1
  }
  writeFileSync(FILE, program)
  console.log(`depository.so: ${program.length} bytes; syscalls ${syscalls.join(", ")}`)
  return 0
}

process.exitCode = main(process.argv.includes("--check"))
