/**
 * Records of requests of every kind and in every state, with texts that strangers may have chosen, for the laws of
 * timelines.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { anySize, directSponsorship, termsWith } from "../../../../property-tests/PricingInputs.ts"
import type { CurrencyAddress } from "../../chain/Address.ts"
import type { Chain } from "../../chain/Chain.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import { Bps } from "../../money/Bps.ts"
import type { PricedCurrency } from "../../money/Currency.ts"
import { assembleQuote } from "../../quote/assemble/AssembleQuote.ts"
import { makeRequestDecoder } from "../../quote/request/DecodeRequest.ts"
import { minimumOut, priceExactInput } from "../../quote/pricing/Pricing.ts"
import { requestParameters } from "../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../quote/request/ResolveRequest.ts"
import { alpha, beta, chains, evmAddress } from "../../quote/testing/Chains.ts"
import type { BlockRef } from "../../evidence/BlockRef.ts"
import type { Deposit } from "../../transfer/deposit/Deposit.ts"
import { FailReason } from "../../transfer/FailReason.ts"
import { RequestId } from "../../transfer/RequestId.ts"
import { Status, unendedStatuses } from "../../transfer/Status.ts"
import type { TimelineSettlement } from "../RequestTimeline.ts"
import type { TimelineSource, TimelineRefundRecord, TimelinePayment } from "../TimelineRecord.ts"

/** Values that a timeline must not contain, as nothing public contains them. */
export const secrets = {
  apiKeyId: "key_secret0secret",
  refundTo: evmAddress("5e"),
  orderSignature: "0x516e6174757265"
} as const

export const user = evmAddress("11")
const recipient = evmAddress("22")

/** Texts that an attacker might choose, and arbitrary ones. */
const hostile = fc.oneof(
  fc.constantFrom(
    "<script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "' onload='alert(1)",
    "</style><script>",
    "&lt;b&gt;",
    "<!--",
    "]]>",
    "`${x}`",
    "\u001b[2J\u001b[31mred",
    "a\nb\r\u2028c",
    "\u202egnp.exe",
    "\u0000",
    "\ud800",
    "javascript:alert(1)",
    "{{7*7}}",
    "ETH"
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.array(fc.constantFrom("<", ">", "\"", "'", "&", "`", "=", "/", " ", "a"), { maxLength: 12 }).map((parts) =>
    parts.join("")
  )
)

const explorers = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(
    "https://explorer.example",
    "http://explorer.example/",
    "javascript:alert(1)//",
    "https://x\" onclick=\"alert(1)",
    "data:text/html,x"
  ),
  hostile
)

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)

const request = Result.getOrThrow(Result.flatMap(
  makeRequestDecoder(requestParameters)({
    user,
    originChainId: 1,
    destinationChainId: 2,
    originCurrency: alpha.native.address,
    destinationCurrency: beta.native.address,
    amount: "1",
    tradeType: "EXACT_INPUT"
  }),
  (decoded) => resolveRequest(decoded, chains)
))

/** A chain with names chosen by a stranger. Its native currency is the one with a price. */
const named = (
  chain: Chain,
  { currency }: PricedCurrency,
  name: string,
  symbol: string,
  explorerUrl: string | undefined
): readonly [Chain, PricedCurrency["currency"]] => {
  const native = { ...chain.native, symbol, decimals: currency.decimals }
  return [{ ...chain, name, native, currencies: [native, ...chain.currencies.slice(1)], explorerUrl }, native]
}

/** A quote made by the rules, with or without a sponsor, of any size. */
const quotes = fc.tuple(
  termsWith(fc.oneof(fc.constant(undefined), directSponsorship)),
  anySize(10n ** 40n),
  fc.array(hostile, { minLength: 5, maxLength: 5 }),
  explorers,
  anySize(10n ** 18n)
).map(([terms, amount, [nameA = "", nameB = "", symbolA = "", symbolB = "", service = ""], explorer, gas]) => {
  const priced = priceExactInput(terms, amount)
  if (Result.isFailure(priced)) return undefined
  const [origin, native] = named(alpha, terms.origin, nameA, symbolA, explorer)
  const [destination, out] = named(beta, terms.destination, nameB, symbolB, explorer)
  const quote = assembleQuote({
    ...terms,
    request,
    priced: priced.success,
    slippage: Bps(200n),
    minimumOut: minimumOut(priced.success.amountOut, Bps(200n)),
    origin: { ...terms.origin, currency: native },
    destination: { ...terms.destination, currency: out },
    originNative: { ...terms.origin, currency: native },
    originGas: gas,
    userBalance: 0n,
    timeEstimateSeconds: 1,
    serviceName: service === "" ? "service" : service,
    routerName: "router",
    steps: [],
    protocol: undefined
  })
  return { quote, amountIn: amount, amountOut: priced.success.amountOut, chains: [origin, destination] }
}).filter((made) => made !== undefined)

/** Times from 2020 to 2033. */
const times = fc.integer({ min: 1_577_836_800, max: 2_000_000_000 })

const deposit = (n: number, at: number, currency: CurrencyAddress, amount: bigint): Deposit => ({
  onchainId: word(n),
  chainId: alpha.id,
  transactionId: TransactionId.make(word(100 + n)),
  index: 0,
  block: { height: 7n, hash: "0x", time: at },
  depositId: word(99),
  depositor: user,
  sender: user,
  currency,
  amount
})

const block = (at: number): BlockRef => ({ height: 8n, hash: "0x", time: at })

interface Shape {
  readonly status: Status
  readonly detours: ReadonlyArray<Status>
  readonly failReason: FailReason
  readonly referrer: string
  readonly isAddress: boolean
  readonly isForeign: boolean
  readonly skew: number
  readonly at: number
  readonly share: bigint
  readonly second: TimelineRefundRecord["state"] | "none"
  readonly isActual: boolean
  readonly settlement: TimelineSettlement["state"]
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  status: fc.constantFrom(...Status.literals),
  detours: fc.array(fc.constantFrom(...unendedStatuses), { maxLength: 4 }),
  failReason: fc.constantFrom(...FailReason.literals),
  referrer: hostile,
  isAddress: fc.boolean(),
  isForeign: fc.boolean(),
  skew: fc.integer({ min: -20, max: 20 }),
  at: times,
  share: fc.bigInt({ min: 0n, max: 200n }),
  second: fc.constantFrom("none", "submitted", "paid", "failed", "held", "recorded"),
  isActual: fc.boolean(),
  settlement: fc.constantFrom("open", "submitted", "settled", "refused", "excluded")
})

const isPaid = (status: Status): boolean => status === "success" || status === "submitted"

const recordsOf = (those: fc.Arbitrary<Shape>): fc.Arbitrary<TimelineSource> =>
  fc.tuple(quotes, those).map(
    ([{ amountIn, amountOut, chains, quote }, shape]) => {
      const { at, failReason, isActual, isAddress, isForeign, referrer, second, settlement, share, skew, status } =
        shape
      const isSettling = status === "success" || status === "refund"
      const states: ReadonlyArray<Status> = ["waiting", ...(status === "waiting" ? [] : [...shape.detours, status])]
      const events = states.map((each, index) => ({
        status: each,
        failReason: each === status ? failReason : null,
        at: at * 1_000 + index * 250
      }))
      const native = alpha.native.address
      const first = deposit(1, at + skew, native, amountIn * (100n + share) / 100n)
      const other = deposit(
        2,
        at + skew + 9,
        isForeign ? (evmAddress("fe") as unknown as CurrencyAddress) : native,
        amountIn
      )
      const fill: TimelinePayment = {
        leg: "fill",
        onchainId: first.onchainId,
        chainId: beta.id,
        transactionId: TransactionId.make(word(200)),
        recipient,
        currency: beta.native.address,
        amount: amountOut,
        state: status === "success" ? "included" : "sent",
        block: status === "success" ? block(at + skew + 3) : null
      }
      const legOf = (
        of: Deposit,
        state: TimelineRefundRecord["state"]
      ): { readonly leg: TimelineRefundRecord; readonly payment: ReadonlyArray<TimelinePayment> } => {
        const paid = state === "recorded" || state === "held"
          ? undefined
          : {
            ...fill,
            leg: `refund:${of.onchainId}`,
            chainId: of.chainId,
            onchainId: of.onchainId,
            transactionId: TransactionId.make(word(300 + of.index)),
            currency: of.currency,
            amount: of.amount * share / 200n,
            block: state === "paid" ? block(at + skew + 5) : null
          }
        return {
          leg: { kind: "deposit", state, reason: failReason, deposit: of, amount: of.amount, payment: paid },
          payment: paid === undefined ? [] : [paid]
        }
      }
      const legs = [
        ...(status === "refund" ? [legOf(first, "paid")] : []),
        ...(second === "none" || status === "waiting" ? [] : [legOf(other, second)])
      ]
      const { feeSponsorship } = quote
      return {
        transfer: {
          ...secrets,
          id: RequestId.make(word(1)),
          quotedAt: at * 1_000,
          updatedAt: events.at(-1)?.at ?? 0,
          status,
          failReason: status === "refund" || status === "failure" ? failReason : null,
          quote,
          terms: {
            originChainId: alpha.id,
            originCurrency: native,
            destinationChainId: beta.id,
            destinationCurrency: beta.native.address,
            user,
            recipient,
            refundTo: secrets.refundTo,
            tradeType: "EXACT_INPUT",
            amountIn,
            amountOut,
            minimumOut: amountOut,
            referrer,
            ...(isAddress ? { depositAddress: { address: evmAddress("dd"), mode: "open", depositor: user } } : {})
          }
        },
        events,
        deposits: status === "waiting" ? [] : [{ deposit: first }, ...(second === "none" ? [] : [{ deposit: other }])],
        payments: [...(isPaid(status) ? [fill] : []), ...legs.flatMap(({ payment }) => payment)],
        refunds: legs.map(({ leg }) => leg),
        settlements: isSettling
          ? [{ deposit: first.onchainId, state: settlement, transactionId: TransactionId.make(word(400)) }]
          : [],
        send: undefined,
        feeSponsorship: feeSponsorship === undefined || !isActual ? feeSponsorship : {
          ...feeSponsorship,
          actual: { ...feeSponsorship.quoted, sponsorPayment: { amount: "1", address: evmAddress("b1"), chainId: 2 } }
        },
        chains
      } satisfies TimelineSource
    }
  )

/** In every state. */
export const records = recordsOf(shapes)

/** In one state. */
export const recordsIn = (status: Status) => recordsOf(shapes.map((shape) => ({ ...shape, status })))
