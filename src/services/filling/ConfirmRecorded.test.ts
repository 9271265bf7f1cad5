/** A deposit counts as the quorum shows it, not as one endpoint reported it to a scan. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { depositOf, transferOf } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha, priced } from "../../domain/quote/testing/Chains.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { usdFromMicros } from "../../domain/money/Usd.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { confirmRecorded } from "./ConfirmRecorded.ts"

const honest = depositOf()

/** A few blocks are enough for what is deposited here. */
const chain: Chain = { ...alpha, confirmations: [{ upToUsd: usdFromMicros(10n ** 18n), blocks: 2 }] }

/** A look asks an endpoint, then the quorum. */
const MOST_READS = 2

/** What happens to a deposit that was recorded like this, when an endpoint and the quorum show these. */
const confirmed = (recorded: Deposit, shown: Readonly<Record<ReadBy, Deposit>>, final = true) => {
  const done: Array<string> = []
  let reads = 0
  const order = OrderId.make(honest.depositId)
  const layer = Layer.mergeAll(
    Layer.mock(Pauses, { recent: Effect.succeed([]), all: Effect.succeed([]) }),
    Layer.mock(DepositWatcher, {
      standing: (_chain, _deposit, by) =>
        Effect.sync(() => {
          reads += 1
          assert.isAtMost(reads, MOST_READS)
          return { _tag: "Included", block: honest.block, confirmations: 100, final, deposits: [shown[by]] }
        })
    }),
    Layer.mock(Deposits, {
      close: (_id, sighting, state) => Effect.sync(() => void done.push(`sighting ${sighting} is ${state}`)),
      noteForeign: () => Effect.succeed(0),
      correct: (sighting, { deposit: { amount, depositor } }) =>
        Effect.sync(() => void done.push(`sighting ${sighting} is ${amount} of ${depositor}`))
    }),
    Layer.mock(Transfers, { known: () => Effect.succeed(new Map([[order, transferOf().terms]])) }),
    Layer.mock(DepositAddresses, { among: () => Effect.succeed([]) }),
    Layer.mock(UnpaidAddresses, {}),
    Layer.mock(Exposures, {}),
    Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, "1")) }),
    polledFollowers,
    Layer.succeed(Policy, { ...defaultPolicy, quorumFrom: 0n })
  )
  return Effect.map(
    Effect.provide(
      confirmRecorded(
        chain,
        { deposit: recorded, sighting: 3 },
        honest.depositor,
        Effect.sync(() => void done.push("released"))
      ),
      layer
    ),
    ({ _tag }) => ({ _tag, done })
  )
}

const corrected = { _tag: "Gone", done: ["released", `sighting 3 is ${honest.amount} of ${honest.depositor}`] }

describe("a deposit that was recorded", () => {
  it.effect("that equals the chain's is confirmed", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* confirmed(honest, { endpoint: honest, quorum: honest }), {
        _tag: "Confirmed",
        done: []
      })
    }))

  it.effect("with another amount, order or depositor is recorded again, as the quorum shows it", () =>
    Effect.gen(function*() {
      const other = "0x00000000000000000000000000000000000000aa" as Deposit["depositor"]
      for (
        const wrong of [
          { ...honest, amount: honest.amount * 10n },
          { ...honest, depositor: other },
          { ...honest, sender: other },
          { ...honest, depositId: `0x${"ab".repeat(32)}` as Deposit["depositId"] }
        ]
      ) assert.deepStrictEqual(yield* confirmed(wrong, { endpoint: honest, quorum: honest }), corrected)
    }))

  it.effect("for an order of ours is gone when the quorum shows it without an order", () =>
    Effect.gen(function*() {
      const nobodys = { ...honest, depositId: `0x${"ab".repeat(32)}` as Deposit["depositId"] }
      assert.deepStrictEqual(yield* confirmed(honest, { endpoint: nobodys, quorum: nobodys }), {
        _tag: "Gone",
        done: ["released", "sighting 3 is gone"]
      })
    }))

  it.effect("wrongly, as the endpoint still shows it before it is final, is recorded again without another read", () =>
    Effect.gen(function*() {
      const lie = { ...honest, amount: honest.amount * 2n }
      assert.deepStrictEqual(yield* confirmed(lie, { endpoint: lie, quorum: honest }, false), corrected)
    }))

  it.effect("correctly is confirmed although one endpoint shows something else", () =>
    Effect.gen(function*() {
      const lie = { ...honest, amount: honest.amount * 10n }
      assert.deepStrictEqual(yield* confirmed(honest, { endpoint: lie, quorum: honest }), {
        _tag: "Confirmed",
        done: []
      })
    }))
})
