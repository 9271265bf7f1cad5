/**
 * Payments of coins, on a local Bitcoin chain: each is made once, wherever their process dies, and when a reorg takes
 * blocks back in between.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Schedule } from "effect"
import { account } from "../../../adapters/bitcoin/testing/LocalBitcoin.ts"
import { startPayingBitcoin } from "../../../adapters/bitcoin/testing/PayingBitcoin.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { layer as layerStore } from "../../../property-tests/memory-store/index.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import * as Followers from "../following/Followers.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import type { DuePayment } from "./DuePayment.ts"
import { guardPayment } from "./guard/GuardPayment.ts"
import { pay } from "./pay/PayUntil.ts"

type Local = Effect.Success<ReturnType<typeof startPayingBitcoin>>

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

const amounts = [1_000_001n, 1_000_002n, 1_000_003n, 1_000_004n]

const dueOn = (chain: Chain, { other }: Local) => (amount: bigint, n: number): DuePayment => ({
  purpose: "fill",
  deposit: { onchainId: Hex32.make(id(n)) },
  payment: {
    _tag: "Payout",
    chain,
    currency: chain.native,
    recipient: account(other.address),
    amount,
    orderId: OrderId.make(id(1_000 + n))
  },
  patience: Duration.minutes(10),
  notAfter: undefined,
  shown: undefined
})

/** Ports whose process dies at its n-th call that writes or sends: before it, or when it is done. */
const mortal = (calls: number, when: "before" | "after") => {
  let left = calls
  const death = Effect.die(new Error("killed"))
  const step = <A, E>(call: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      left -= 1
      if (left !== 0) return call
      return when === "before" ? death : Effect.andThen(call, death)
    })
  const treasury = Layer.effect(
    Treasury,
    Effect.gen(function*() {
      const [real, payments] = [yield* Treasury, yield* Payments]
      return Treasury.of({
        ...real,
        broadcast: (chain, signed) =>
          step(Effect.gen(function*() {
            const isStored = yield* Effect.orDie(payments.signed(signed.transactionId))
            return isStored ? yield* real.broadcast(chain, signed) : yield* Effect.die("sent before it was stored")
          }))
      })
    })
  )
  const payments = Layer.effect(
    Payments,
    Effect.map(Payments, (real) =>
      Payments.of({
        ...real,
        signOnce: (...asked) => step(real.signOnce(...asked)),
        recordSent: (...asked) => step(real.recordSent(...asked)),
        recordOutcome: (...asked) => step(real.recordOutcome(...asked)),
        replace: (...asked) => step(real.replace(...asked)),
        setAside: (payment) => step(real.setAside(payment))
      }))
  )
  return { layer: Layer.merge(treasury, payments), isOver: () => left > 0 }
}

describe("payments of coins", () => {
  for (const when of ["before", "after"] as const) {
    it.live(`are each made once when their process dies ${when} a later call each time, and blocks are taken back`, () =>
      Effect.scoped(Effect.gen(function*() {
        const local = yield* startPayingBitcoin(1)
        const chain = { ...local.bitcoin, blockTimeMs: 100 }
        const store = yield* Layer.build(layerStore)
        const dues = amounts.map(dueOn(chain, local))
        yield* Effect.forkScoped(Effect.repeat(local.mine(), Schedule.spaced("250 millis")))
        let lives = 0
        for (let isOver = false; !isOver; lives += 1) {
          // Each life is one call longer than the one before it.
          const life = mortal(lives + 1, when)
          const ports = life.layer.pipe(
            Layer.provideMerge(Layer.mergeAll(local.ports, Followers.layer.pipe(Layer.provide(local.ports)))),
            Layer.provideMerge(Layer.succeedContext(store)),
            Layer.provideMerge(Layer.succeed(Policy, defaultPolicy))
          )
          const exit = yield* Effect.forEach(dues, (due) => Effect.andThen(pay(due), guardPayment(due)), {
            concurrency: "unbounded",
            discard: true
          }).pipe(Effect.provide(Layer.fresh(ports)), Effect.exit)
          isOver = Exit.isSuccess(exit) && life.isOver()
          if (!isOver && lives % 3 === 2) yield* local.reorg(1, "dropped")
        }
        assert.isAtLeast(lives, 5)
        const paid = local.chain.ledger.coinsOf(local.other.address).map(({ value }) => value)
        assert.sameMembers(paid, amounts)
      })))
  }
})
