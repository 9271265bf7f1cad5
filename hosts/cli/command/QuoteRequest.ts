/** The flags that describe a transfer, and the request of a quote that they make. */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import type { Client, QuoteRequest } from "../../transfer/client/Client.ts"
import { maybe, wrongUsage } from "../Program.ts"
import { asked } from "./Service.ts"
import { chainCalled, currencyCalled, unitsOf } from "./ServedChains.ts"
import type { ServedChain, ServedCurrency } from "./ServedChains.ts"

const text = (name: string, description: string, metavar: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** Of every command that asks for a quote. */
export const transferFlags = {
  from: text("from", "the origin: slug, name or id", "chain"),
  to: text("to", "the destination", "chain"),
  amount: text("amount", "what is paid, in whole units: 0.1", "decimal"),
  currency: maybe("currency", "what is paid: symbol or address; the origin's native currency unless given"),
  "to-currency": maybe("to-currency", "what is received; the destination's native currency unless given"),
  "exact-output": Flag.Boolean("exact-output").pipe(
    Flag.withDescription("--amount is what is received, in units of --to-currency"),
    Flag.withDefault(false)
  ),
  recipient: maybe("recipient", "who receives it; the user unless given"),
  sponsored: Flag.Boolean("sponsored").pipe(
    Flag.withDescription("the wallet that is linked to the key in API_KEY pays the fees"),
    Flag.withDefault(false)
  )
} as const

/** What the flags say. */
export type TransferWish = Command.Command.Config.Infer<typeof transferFlags>

/** A transfer whose chains and currencies were found. */
export interface TransferEnds {
  readonly from: ServedChain
  readonly to: ServedChain
  readonly paid: ServedCurrency
  readonly received: ServedCurrency
  /** Smallest units: of `received` with `--exact-output`, otherwise of `paid`. */
  readonly units: bigint
  /** The slugs of all that is served. */
  readonly served: ReadonlyArray<string>
}

/** Finds what the flags name among what the service serves. */
export const endsOf = Effect.fnUntraced(function*(client: Client, wish: TransferWish) {
  const { chains } = yield* asked((signal) => client.call("GET /chains", {}, { signal }))
  const from = yield* Effect.fromResult(chainCalled(chains, "from", wish.from))
  const to = yield* Effect.fromResult(chainCalled(chains, "to", wish.to))
  const paid = yield* Effect.fromResult(currencyCalled(from, "currency", wish.currency ?? from.currency.symbol))
  const received = yield* Effect.fromResult(
    currencyCalled(to, "to-currency", wish["to-currency"] ?? to.currency.symbol)
  )
  const units = yield* unitsOf(wish.amount, wish["exact-output"] ? received : paid)
  return { from, to, paid, received, units, served: chains.map(({ slug }) => slug) } satisfies TransferEnds
})

/** The body of POST /quote for this user. */
export const requestFor = (
  { from, paid, received, to, units }: TransferEnds,
  { "exact-output": exactOutput, recipient, sponsored }: TransferWish,
  user: string
): QuoteRequest => ({
  user,
  ...(recipient === undefined ? {} : { recipient }),
  originChainId: from.id,
  destinationChainId: to.id,
  originCurrency: paid.address,
  destinationCurrency: received.address,
  amount: `${units}`,
  tradeType: exactOutput ? "EXACT_OUTPUT" : "EXACT_INPUT",
  ...(sponsored ? { subsidizeFees: true } : {})
})

/** Fails where a recipient has to be named: addresses of another family than the user's are no recipients. */
export const checkRecipient = ({ from, to }: TransferEnds, { recipient }: TransferWish) =>
  recipient === undefined && from.vmType !== to.vmType
    ? Effect.fail(wrongUsage(`--recipient is missing: an address on ${to.slug}`))
    : Effect.void
