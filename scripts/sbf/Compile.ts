/** Compiles C to a Solana program with clang and our linker. Leaves no files behind. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { readObject } from "./ElfObject.ts"
import { link } from "./Link.ts"

/** A program has no library, so the compiler must not add calls to one. A stack frame has 4,096 bytes. */
const flags = [
  "-target",
  "bpfel",
  "-mcpu=v1",
  "-O2",
  "-std=c17",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-fno-builtin",
  "-ffreestanding",
  "-fno-ident",
  "-mllvm",
  "-bpf-stack-size=4096",
  "-c"
]

/** The compiled program and its syscalls. Throws clang's own message, or `LinkError`. */
export const compileProgram = (
  clang: string,
  source: string
): { readonly program: Uint8Array; readonly syscalls: ReadonlyArray<string> } => {
  const folder = mkdtempSync(join(tmpdir(), "causeway-sbf-"))
  try {
    const object = join(folder, "program.o")
    execFileSync(clang, [...flags, basename(source), "-o", object], {
      cwd: dirname(source),
      stdio: ["ignore", "inherit", "inherit"]
    })
    return link(readObject(readFileSync(object)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
