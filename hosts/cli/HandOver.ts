/**
 * Commands of `causeway` whose programs a checkout has and the package has not: the local network and the simulation.
 * In a checkout the command hands its words over to the program, in the same process: one process takes the signals, and
 * nothing of the command is loaded. So `causeway demo` and `npm run demo` are the same program.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

interface LocalProgram {
  /** From the root of the checkout. */
  readonly main: string
  /** It runs local chains, or talks to those that run: the machine is looked at first. */
  readonly needsChains: boolean
}

/** By the command's name. */
export const localPrograms: Readonly<Record<"start" | "demo" | "withdraw" | "simulate", LocalProgram>> = {
  start: { main: "hosts/localnet/main.ts", needsChains: true },
  demo: { main: "hosts/localnet/commands/demo/main.ts", needsChains: true },
  withdraw: { main: "hosts/localnet/commands/withdraw/main.ts", needsChains: true },
  simulate: { main: "property-tests/simulation/main.ts", needsChains: false }
}

/** `causeway status` without a request: what of the local network runs. */
const networkStatus: LocalProgram = { main: "hosts/localnet/commands/status/main.ts", needsChains: true }

/** `causeway attest` without a transaction: a deposit on the local network first. */
const localAttest: LocalProgram = { main: "hosts/localnet/commands/attest/main.ts", needsChains: true }

/** The flags of that program which take a word. */
const attestValues = ["--chain", "--amount", "--id"]

/** True when no word is a transaction, and none asks an oracle elsewhere. */
const isLocalAttest = (words: ReadonlyArray<string>): boolean =>
  words.every((word, at) =>
    (isFlag(word) && !word.startsWith("--oracle-url") && word !== "--peers") ||
    attestValues.includes(words[at - 1] ?? "")
  )

const isLocal = (name: string | undefined): name is keyof typeof localPrograms =>
  name !== undefined && Object.hasOwn(localPrograms, name)

const isFlag = (word: string): boolean => word.startsWith("-")

const asksForHelp = (words: ReadonlyArray<string>): boolean => words.some((word) => word === "--help" || word === "-h")

/** The program that the words name, and the words for it. Undefined for a command of `causeway` itself. */
export const handedOver = (
  [name, ...words]: ReadonlyArray<string>
): { readonly program: LocalProgram; readonly words: ReadonlyArray<string> } | undefined => {
  if (isLocal(name)) return { program: localPrograms[name], words }
  if (asksForHelp(words)) return undefined
  if (name === "status" && words.every(isFlag)) return { program: networkStatus, words }
  return name === "attest" && isLocalAttest(words) ? { program: localAttest, words } : undefined
}

/** Where there is no such program, its flags are of no use: the command itself says what to do. */
export const withoutProgram = (all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [name, ...words] = all
  return isLocal(name) ? [name, ...words.filter((word) => word === "--json" || asksForHelp([word]))] : all
}

/** The folder of the package or the checkout that a module belongs to. */
const rootOf = (folder: string): string =>
  existsSync(join(folder, "package.json")) || dirname(folder) === folder ? folder : rootOf(dirname(folder))

/** npm runs it before the program already, because an old Node cannot read this file. */
const preflight = (root: string, words: ReadonlyArray<string>): void => {
  if (process.execArgv.some((option) => option.endsWith("preflight.cjs"))) return
  const loaded: unknown = createRequire(import.meta.url)(join(root, "scripts/preflight.cjs"))
  const check: unknown = typeof loaded === "object" && loaded !== null ? Reflect.get(loaded, "check") : undefined
  if (typeof check === "function") Reflect.apply(check, undefined, [words])
}

/** Becomes the program that the process's arguments name, where the checkout has it. Otherwise does nothing: false. */
export const handOver = async (): Promise<boolean> => {
  const asked = handedOver(process.argv.slice(2))
  if (asked === undefined) return false
  const { program, words } = asked
  const root = rootOf(import.meta.dirname)
  const main = join(root, program.main)
  if (!existsSync(main)) {
    process.argv = [...process.argv.slice(0, 2), ...withoutProgram(process.argv.slice(2))]
    return false
  }
  if (program.needsChains) preflight(root, words)
  process.argv = [...process.argv.slice(0, 1), main, ...words]
  // By its path when it runs: what a literal names becomes part of the package, and the local network is not.
  // oxlint-disable-next-line causeway/layers
  await import(pathToFileURL(main).href)
  return true
}
