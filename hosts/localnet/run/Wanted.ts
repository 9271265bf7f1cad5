/**
 * The meaning of the arguments of `npm start`: whether it starts empty, and which chains run besides the EVM ones.
 * Pure.
 */
import { Result } from "effect"
import { parseArgs } from "node:util"
import { attestedNames } from "./services/AttestedChain.ts"
import type { AttestedName } from "./services/AttestedChain.ts"
import { LocalnetError, reasonOf } from "./LocalnetError.ts"

export interface Wanted {
  /** Starts empty. The kept state is deleted. */
  readonly fresh: boolean
  readonly solana: boolean
  readonly attested: ReadonlyArray<AttestedName>
}

const flagOf: Readonly<Record<AttestedName, string>> = {
  bitcoin: "with-bitcoin",
  tron: "with-tron",
  exchangeA: "with-exchange-a",
  exchangeB: "with-exchange-b"
}

const flag = { type: "boolean", default: false } as const

export const usage = `npm start [-- --fresh --without-solana ${
  attestedNames.map((name) => `--${flagOf[name]}`).join(" ")
} | --all-families]`

const refuse = (message: string) => new LocalnetError({ message: `${message}\nusage: ${usage}` })

const valuesOf = (words: ReadonlyArray<string>) =>
  Result.try({
    try: () => {
      const added = Object.fromEntries(attestedNames.map((name) => [flagOf[name], flag]))
      const { values } = parseArgs({
        args: [...words],
        options: { fresh: flag, "without-solana": flag, "all-families": flag, ...added }
      })
      return new Map<string, unknown>(Object.entries(values))
    },
    catch: (cause) => refuse(reasonOf(cause))
  })

export const wantedBy = (words: ReadonlyArray<string>): Result.Result<Wanted, LocalnetError> =>
  Result.gen(function*() {
    const values = yield* valuesOf(words)
    const says = (name: string) => values.get(name) === true
    const all = says("all-families")
    if (all && says("without-solana")) {
      return yield* Result.fail(refuse("--all-families has Solana among them, and --without-solana leaves it out"))
    }
    return {
      fresh: says("fresh"),
      solana: !says("without-solana"),
      attested: attestedNames.filter((name) => all || says(flagOf[name]))
    }
  })
