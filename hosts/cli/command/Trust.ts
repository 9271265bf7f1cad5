/**
 * How far a command that sends money trusts the service. By default not at all: a quote is compared with a chains file and
 * a solver that the user names. `--trust` says that the service's word is enough, as for one's own.
 */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { readFileSync } from "node:fs"
import type { QuoteVerifier } from "../../transfer/client/Client.ts"
import { maybe, ProgramFailed, wrongUsage } from "../Program.ts"

/** Of every command whose quote is paid. */
export const trustFlags = {
  "chains-file": maybe(
    "chains-file",
    "what the quote is compared with: the environment's file in the package's configs/; its $NAMEs are variables"
  ),
  solver: maybe("solver", "the account that signs the service's orders; from its operator, never from the service"),
  trust: Flag.Boolean("trust").pipe(
    Flag.withDescription("pay by what the service says, without --chains-file and --solver"),
    Flag.withDefault(false)
  )
} as const

/** What the flags say. */
export type TrustWish = Command.Command.Config.Infer<typeof trustFlags>

/** Variables of the process, for the `$NAME`s of a chains file. Endpoints in it are not read. */
const variables = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))

/** `served`: the slugs that the service serves. Leaving one out makes its quotes fail, and nothing else. */
export const verifierOf = Effect.fnUntraced(
  function*({ "chains-file": file, solver, trust }: TrustWish, served: ReadonlyArray<string>) {
    if (trust && (file !== undefined || solver !== undefined)) {
      return yield* wrongUsage("--trust goes without --chains-file and --solver")
    }
    if (trust) return "trust the service" as const
    if (file === undefined || solver === undefined) {
      return yield* wrongUsage(
        "name --chains-file and --solver, by which the quote is checked before it is paid, or --trust the service"
      )
    }
    const { knownChains, quoteVerifier } = yield* Effect.promise(() => import("../../transfer/client/verify/index.ts"))
    return yield* Effect.try({
      try: (): QuoteVerifier => {
        const known = knownChains(JSON.parse(readFileSync(file, "utf8")), { served, variables: variables() })
        return quoteVerifier({ known, solver })
      },
      catch: (cause) =>
        new ProgramFailed({
          reason: "not-configured",
          message: `${file}: ${cause instanceof Error ? cause.message : String(cause)}`
        })
    })
  }
)
