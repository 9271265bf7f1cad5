/** A chains file, read without its environment: which entries are wanted, what they are, and where is settled. */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { findCurrency } from "../../../src/domain/chain/Chain.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Problem } from "../Variables.ts"
import { ChainsFile } from "./ChainsFile.ts"
import type { ChainEntry } from "./ChainsFile.ts"
import { problem } from "./CurrencyFromEntry.ts"

/** The chain of the hub, and the token in which it is settled. */
export interface Settlement {
  readonly chain: Chain
  readonly token: CurrencyAddress
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ({ _tag }) => _tag })

/** The entries of a file, or every member that is not one. */
export const decodeEntries = (json: unknown): Result.Result<ReadonlyArray<ChainEntry>, Problem> =>
  Schema.decodeUnknownResult(ChainsFile, { onExcessProperty: "error", errors: "all" })(json).pipe(
    Result.mapError(({ issue }) =>
      new Problem({
        message: `the chain configuration is not valid at ${
          formatIssue(issue).issues.map(({ message, path }) => `${(path ?? []).map(String).join(".")} (${message})`)
            .join("; ")
        }`
      })
    )
  )

/** The one chain whose entry names a settlement token, which must be one of its currencies. */
export const settlementOf = (
  entries: ReadonlyArray<ChainEntry>,
  chains: ReadonlyArray<Chain>
): Result.Result<Settlement, Problem> => {
  const named = entries.filter((entry) => entry.additionalData?.settlementToken !== undefined)
  const [entry] = named
  const chain = chains.find(({ slug }) => slug === entry?.id)
  if (entry === undefined || chain === undefined || named.length > 1) {
    return Result.fail(
      new Problem({ message: "exactly one served chain must name a settlementToken in its additionalData" })
    )
  }
  const address = chain.family.addresses(chain.network).parseCurrency(entry.additionalData?.settlementToken ?? "")
  const token = Result.isSuccess(address) ? findCurrency(chain, address.success) : undefined
  return token === undefined
    ? problem(entry, "settlementToken is not one of its currencies")
    : Result.succeed({ chain, token: token.address })
}

const idOf = (entry: unknown): string | undefined =>
  Predicate.hasProperty(entry, "id") && typeof entry.id === "string" ? entry.id : undefined

/** Selects entries before variables are filled in, so that only selected chains must be configured. */
export const select = (json: unknown, selected: ReadonlyArray<string> | undefined): Result.Result<unknown, Problem> => {
  if (selected === undefined || !Array.isArray(json)) return Result.succeed(json)
  const listed: ReadonlyArray<unknown> = json
  const unknown = selected.filter((id) => !listed.some((entry) => idOf(entry) === id))
  return unknown.length > 0
    ? Result.fail(
      new Problem({
        message: `CHAINS names chains that are not configured: ${
          unknown.map((id) => id === "" ? "an empty id" : id).join(", ")
        }; there are ${listed.flatMap((entry) => idOf(entry) ?? []).join(", ")}`
      })
    )
    : Result.succeed(listed.filter((entry) => selected.includes(idOf(entry) ?? "")))
}
