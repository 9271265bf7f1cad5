/**
 * Compiles our Solana programs, each to a file beside its `src`, with Debian's clang-19 and our linker (scripts/sbf):
 * the depository, the swap depositor, and the pools of the local network.
 *
 *   node scripts/compile-program.ts           writes the programs that have changed; without clang-19 it says so and
 *                                             ends with 0
 *   node scripts/compile-program.ts --check   writes nothing; ends with 1 when a program differs from its sources or
 *                                             cannot be compared
 *
 * The same sources give the same bytes on every machine with the same compiler: they contain no path, time or machine
 * name.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, resolve } from "node:path"
import { compileProgram } from "./sbf/Compile.ts"
import { findBinary } from "./testing/Capability.ts"

const root = resolve(import.meta.dirname, "..")

const programs = [
  { source: "adapters/solana/program/src/depository.c", file: "adapters/solana/program/depository.so" },
  { source: "adapters/solana/program/src/swap_depositor.c", file: "adapters/solana/program/swap-depositor.so" },
  { source: "hosts/localnet/nodes/solana/pools/src/pools.c", file: "hosts/localnet/nodes/solana/pools/pools.so" }
] as const

/** Brings a program's file up to date; with `check` it only compares, and returns false when the file differs. */
const bring = (clang: string, { file, source }: (typeof programs)[number], check: boolean): boolean => {
  const { program, syscalls } = compileProgram(clang, resolve(root, source))
  const [path, name] = [resolve(root, file), basename(file)]
  if (existsSync(path) && readFileSync(path).equals(program)) {
    console.log(`${name} is what its sources say`)
    return true
  }
  if (check) {
    console.error(`${name} differs from its sources`)
    return false
  }
  writeFileSync(path, program)
  console.log(`${name}: ${program.length} bytes; syscalls ${syscalls.join(", ")}`)
  return true
}

const main = (check: boolean): number => {
  const clang = findBinary("clang-19")
  if (clang === undefined) {
    console.error("clang-19 is not installed (Debian: apt-get install clang-19): the programs are left as they are")
    return check ? 1 : 0
  }
  return programs.map((program) => bring(clang, program, check)).every((done) => done) ? 0 : 1
}

process.exitCode = main(process.argv.includes("--check"))
