/**
 * What a deposit for a fill that swaps comes to anew: of the user's own pair, and of no less gas than the swap was
 * quoted at.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import type { Opening } from "../../../ports/chain/Gas.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { callsIn } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { Hex } from "../../domain/encoding/Hex.ts"
import { CurrencyAddress } from "../../domain/chain/Address.ts"
import { AMOUNT, transferOf, user } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha, beta, currency, evmAddress, priced } from "../../domain/quote/testing/Chains.ts"
import type { Transfer, TransferTerms } from "../../domain/transfer/Transfer.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { reprice } from "./Repricing.ts"

const usdc = beta.currencies[1] ?? beta.native
const gem = currency(beta.id, "GEM", 18, CurrencyAddress.make(evmAddress("9e")), false)
/** Ten cents' worth at the prices below, and what a plain payment takes. */
const [QUOTED, PLAIN] = [5n * 10n ** 13n, 10n ** 13n]
const swap = { source: "pool", currency: gem.address, amountOut: 1n, minimumOut: 1n, cost: 0n, gas: QUOTED } as const

const route: Route = {
  origin: alpha,
  originCurrency: alpha.currencies[1] ?? alpha.native,
  destination: beta,
  destinationCurrency: usdc,
  received: gem,
  recipient: user,
  refundTo: user,
  calls: [{ to: evmAddress("77"), data: Hex.make("0x"), value: 0n }],
  callsGas: undefined
}

/** `fails`: what keeps the swap from being tried. What was tried, and what it comes to. */
const repriced = Effect.fnUntraced(
  function*(
    terms: Partial<TransferTerms>,
    of: Route = route,
    fails?: PaymentRefused["reason"],
    opening: Opening = nothingToOpen
  ) {
    const transfer: Transfer = transferOf(terms)
    const tried: Array<Payment> = []
    let out = 0n
    yield* reprice(of, transfer, {
      amountIn: AMOUNT,
      settle: (amountOut) => {
        out = amountOut
        return { _tag: "Fill", amountOut }
      }
    }, "user").pipe(Effect.provide(Layer.mergeAll(
      Layer.mock(Gas, {
        opening: () => Effect.succeed(opening),
        ofPayment: (payment) => {
          if (payment.chain.id === beta.id) tried.push(payment)
          const swaps = callsIn(payment) !== undefined
          return swaps && fails !== undefined
            ? Effect.fail(new PaymentRefused({ reason: fails }))
            : Effect.succeed(swaps ? QUOTED : PLAIN)
        }
      }),
      Layer.mock(Prices, { priceOf: (each) => Effect.succeed(priced(each, each.isNative ? "2000" : "1")) }),
      Layer.succeed(Policy, defaultPolicy)
    )))
    return { out, last: tried.at(-1) }
  }
)

describe("a repriced fill that swaps", () => {
  it.effect("pays the service fee on the recipient's amount, not on the solver's", () =>
    Effect.gen(function*() {
      const terms = { destinationSwap: swap }
      const [own, bridged] = [yield* repriced(terms), yield* repriced(terms, { ...route, received: undefined })]
      // Fifteen of ten thousand, where what is paid is the deposited currency itself.
      assert.strictEqual(bridged.out - own.out, AMOUNT * 15n / 10_000n)
    }))

  it.effect("counts no less gas than its quote when the swap cannot be tried: it waits for inventory, or would revert now", () =>
    Effect.gen(function*() {
      const { out } = yield* repriced({ destinationSwap: swap })
      const waits = yield* repriced({ destinationSwap: swap, waitSeconds: 60 }, route, "insufficient-funds")
      const reverts = yield* repriced({ destinationSwap: { ...swap, fallback: true } }, route, "reverts")
      assert.deepStrictEqual([waits.out, reverts.out], [out, out])
      // What is paid in its place comes from the vault.
      assert.deepStrictEqual([waits.last?._tag, reverts.last?._tag], ["Fallback", "Fallback"])
    }))
})

describe("a repriced deposit", () => {
  it.effect("is refunded when its output is less than the chain keeps in a new account", () =>
    Effect.gen(function*() {
      const plain: Route = { ...route, calls: [], received: undefined }
      const { out } = yield* repriced({}, plain)
      const at = (least: bigint) =>
        Effect.map(repriced({}, plain, undefined, { rent: 0n, least }), (found) => found.out)
      assert.deepStrictEqual([yield* at(out), yield* at(out + 1n)], [out, 0n])
    }))
})
