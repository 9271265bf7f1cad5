/**
 * The meaning of the arguments of `npm start`: whether it starts empty, which chains run besides the EVM ones, and
 * whether our services do. Pure.
 */
import { Result } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { USAGE } from "../../cli/Program.ts"
import { attestedNames } from "./services/AttestedChain.ts"
import type { AttestedName } from "./services/AttestedChain.ts"
import { LocalnetError } from "./LocalnetError.ts"

export interface Wanted {
  /** Starts empty. The kept state is deleted. */
  readonly fresh: boolean
  /** The chains run without the transfer service and the oracle. */
  readonly chainsOnly: boolean
  readonly solana: boolean
  readonly attested: ReadonlyArray<AttestedName>
}

const flagOf = {
  bitcoin: "with-bitcoin",
  tron: "with-tron",
  exchangeA: "with-exchange-a",
  exchangeB: "with-exchange-b"
} as const satisfies Readonly<Record<AttestedName, string>>

const off = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const flags = {
  fresh: off("fresh", "deletes the kept network and starts empty"),
  "chains-only": off("chains-only", "runs no services, and writes the variables for yours"),
  "without-solana": off("without-solana", "leaves the Solana chain out"),
  "with-bitcoin": off("with-bitcoin", "adds a Bitcoin chain"),
  "with-tron": off("with-tron", "adds a Tron chain"),
  "with-exchange-a": off("with-exchange-a", "adds exchange A, simulated"),
  "with-exchange-b": off("with-exchange-b", "adds exchange B, simulated"),
  "all-families": off("all-families", "adds all of them")
} as const

/** The requested network. Errors: a contradiction. */
export const wantedBy = (asked: Command.Command.Config.Infer<typeof flags>): Result.Result<Wanted, LocalnetError> => {
  const all = asked["all-families"]
  return all && asked["without-solana"]
    ? Result.fail(
      new LocalnetError({
        message: "--all-families has Solana among them, and --without-solana leaves it out",
        reason: USAGE
      })
    )
    : Result.succeed({
      fresh: asked.fresh,
      chainsOnly: asked["chains-only"],
      solana: !asked["without-solana"],
      attested: attestedNames.filter((name) => all || asked[flagOf[name]])
    })
}
