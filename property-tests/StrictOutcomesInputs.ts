/**
 * Deposits at deposit addresses for the laws of their outcomes: amounts and times exactly at, just below and just above
 * every limit.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { ethereumAddresses } from "../src/domain/families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../src/domain/chain/ChainId.ts"
import type { AddressDeposit, OpenTerms, StrictTerms } from "../src/domain/deposit-address/AddressTerms.ts"
import { Bps } from "../src/domain/money/Bps.ts"

const QUOTED_AT_SECONDS = 1_800_000_000

const chains = [ChainId.make(1), ChainId.make(10)]
const currencies = ["0", "5"].map((digit) =>
  Result.getOrThrow(ethereumAddresses.parseCurrency(`0x${digit.repeat(40)}`))
)
const [home = ChainId.make(1)] = chains
const [quoted = ethereumAddresses.nativeCurrency] = currencies

const size = fc.oneof(fc.bigInt({ min: 1n, max: 5n }), fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }))

const quote = fc.record({
  amountIn: size,
  amountOut: size,
  given: fc.nat({ max: 200 }),
  life: fc.constantFrom(0, 30, 600, 86_400),
  ttl: fc.constantFrom(undefined, 1, 30, 300)
})
  .map(({ amountIn, amountOut, given, life, ttl }) => ({
    chainId: home,
    currency: quoted,
    amountIn,
    amountOut,
    minimumOut: amountOut - (amountOut * BigInt(given)) / 10_000n,
    quotedAt: QUOTED_AT_SECONDS * 1000,
    deadline: QUOTED_AT_SECONDS + life,
    ttlSeconds: ttl
  }))

export const strictTerms: fc.Arbitrary<StrictTerms> = fc.tuple(
  quote,
  fc.constantFrom("EXACT_INPUT" as const, "EXACT_OUTPUT" as const, "EXPECTED_OUTPUT" as const)
)
  .map(([terms, tradeType]) => ({
    ...terms,
    mode: "strict",
    tradeType,
    minimumOut: tradeType === "EXACT_OUTPUT" ? terms.amountOut : terms.minimumOut
  }))

export const openTerms: fc.Arbitrary<OpenTerms> = fc.tuple(
  quote,
  fc.constantFrom("EXACT_INPUT" as const, "EXPECTED_OUTPUT" as const),
  fc.constantFrom(undefined, Bps(0n), Bps(500n))
)
  .map(([terms, tradeType, latePaymentSlippage]) => ({ ...terms, mode: "open", tradeType, latePaymentSlippage }))

const mostly = <A>(usual: A, other: A): fc.Arbitrary<A> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(other) })

/** A deposit for given terms. `turn`, chain and currency are mostly those that can be filled. */
export const depositFor = (terms: StrictTerms | OpenTerms): fc.Arbitrary<AddressDeposit> =>
  fc.record({
    chainId: mostly(home, chains[1] ?? home),
    currency: mostly(quoted, currencies[1] ?? quoted),
    received: fc.oneof(
      { weight: 3, arbitrary: fc.constant(terms.amountIn) },
      { weight: 4, arbitrary: fc.bigInt({ min: -2n, max: 2n }).map((off) => terms.amountIn + off) },
      { weight: 2, arbitrary: fc.bigInt({ min: -1n, max: 2n ** 256n - 1n }) }
    ),
    blockTime: fc.oneof(
      fc.constantFrom(
        0,
        1,
        29,
        30,
        31,
        300,
        301,
        terms.deadline - QUOTED_AT_SECONDS,
        terms.deadline - QUOTED_AT_SECONDS + 1
      ).map((age) => QUOTED_AT_SECONDS + age),
      fc.integer({ min: -60, max: 100_000 }).map((age) => QUOTED_AT_SECONDS + age)
    ),
    sender: fc.constantFrom("user" as const, "another" as const),
    turn: mostly<"first" | "again">("first", "again")
  })

/** The market's output when a deposit is priced again: nothing, around the minimum, or anything. */
export const deliveredFor = (terms: StrictTerms | OpenTerms): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.constantFrom(0n, 1n, terms.amountOut, terms.amountOut + 1n),
    fc.bigInt({ min: -1n, max: 1n }).map((off) => terms.minimumOut + off).filter((out) => out >= 0n),
    size
  )
