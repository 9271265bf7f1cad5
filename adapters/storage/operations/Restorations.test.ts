import { families } from "../../../src/domain/families/index.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { named } from "../testing/Named.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { StoreCommands } from "../testing/StoreLayers.ts"
import { describeStores } from "../testing/stores.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const beta = ChainId.make(616102)
const currency = { chainId: beta, address: native, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }
const chain: Chain = {
  id: beta,
  slug: ChainSlug.make("beta"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "Beta",
  depository: user,
  router: undefined,
  vault: undefined,
  native: currency,
  currencies: [currency],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 1000,
  explorerUrl: undefined
}
const orderId = OrderId.make(id(1000))
const payment = { _tag: "Payout", chain, currency, recipient: user, amount: 5n, orderId } as const
const prepared = {
  account: user,
  chainSequence: 3n,
  costs: [],
  sign: (sequence: bigint) =>
    Effect.succeed({ transactionId: TransactionId.make(id(Number(sequence))), raw: `raw ${sequence}` })
}
const block = { height: 7n, hash: "0xaa", time: 1 }
const deposit = (n: number) => ({
  onchainId: Hex32.make(id(n)),
  chainId: beta,
  transactionId: TransactionId.make(id(6000 + n)),
  index: n,
  block,
  depositId: Hex32.make(orderId),
  depositor: user,
  sender: user,
  currency: native,
  amount: 9n
})
const sent = (n: number) => ({
  account: user,
  transactionId: TransactionId.make(id(n)),
  raw: `0x${n}`,
  sequence: BigInt(n),
  block,
  succeeded: true,
  gasPaid: 1n,
  movesNothing: false,
  payment: { orderId, recipient: user, currency: native, amount: 5n }
})
const found = (leg: "fill" | `refund:${string}`, n: number) => {
  const { payment, ...rest } = sent(n)
  return { leg, deposit: deposit(1).onchainId, chainId: beta, sent: { ...rest, payment }, payment }
}

describeStores(({ test }) => {
  test(
    "holds payments on every scanned chain until they are settled, and counts how many may be unknown",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const payments = yield* Payments
      const restorations = yield* Restorations
      yield* deposits.record(beta, { height: 40n, hash: "0x40" }, named([deposit(1), deposit(2)]), 1_000)
      yield* deposits.close(deposit(2).onchainId, 1, "filled", 9)
      assert.deepStrictEqual(yield* restorations.open, [])
      yield* payments.refuseHeld(chain)
      yield* (yield* StoreCommands).markRestored(900_000)
      const open = { chainId: beta, height: 40n, restoredAt: 900_000 }
      assert.deepStrictEqual(yield* restorations.open, [open])
      assert.strictEqual(yield* restorations.unanswered(open), 1)
      // Seen again after the restore, and closed as a deposit for an unknown order: the lost process may have paid it.
      yield* deposits.note(named([deposit(3)]), 900_001)
      yield* deposits.close(deposit(3).onchainId, 1, "foreign", 9)
      assert.strictEqual(yield* restorations.unanswered(open), 2)
      assert.strictEqual((yield* Effect.flip(payments.refuseHeld(chain)))._tag, "PaymentsHeld")
      const held = yield* Effect.flip(payments.signOnce("fill", deposit(1).onchainId, payment, prepared, 9))
      assert.strictEqual(held._tag, "PaymentsHeld")
      assert.isUndefined(yield* payments.find(orderId, "fill"))
      assert.strictEqual(yield* restorations.fenceAt(beta, user, 12n), 12n)
      assert.strictEqual(yield* restorations.fenceAt(beta, user, 99n), 12n)
      // Each account has its own.
      const other = Address.make("0x00000000000000000000000000000000000000b2")
      assert.strictEqual(yield* restorations.fenceAt(beta, other, 3n), 3n)
      assert.deepStrictEqual(
        [yield* restorations.fenceAt(beta, other, 99n), yield* restorations.fenceAt(beta, user, 99n)],
        [3n, 12n]
      )
      // Restored a second time before the first restoration ended: it keeps the first one's starting height.
      yield* deposits.record(beta, { height: 50n, hash: "0x50" }, named([]), 1_000)
      yield* (yield* StoreCommands).markRestored(900_500)
      assert.deepStrictEqual(yield* restorations.open, [{ ...open, restoredAt: 900_500 }])
      yield* restorations.settle(beta, [{ account: user, fence: 12n }], 901_000)
      assert.deepStrictEqual(yield* restorations.open, [])
      assert.strictEqual((yield* payments.signOnce("fill", deposit(1).onchainId, payment, prepared, 9)).sequence, 12n)
      yield* (yield* StoreCommands).markRestored(902_000)
      assert.deepStrictEqual(yield* restorations.open, [{
        chainId: beta,
        height: 50n,
        restoredAt: 902_000
      }])
    })
  )

  test(
    "records a payment that was found once, and keeps the one that a purpose already has",
    Effect.gen(function*() {
      const payments = yield* Payments
      assert.isTrue(yield* payments.adopt(found("fill", 4), 9))
      assert.isTrue(yield* payments.adopt(found("fill", 4), 10))
      assert.isFalse(yield* payments.adopt(found("fill", 5), 9))
      const kept = yield* payments.find(orderId, "fill")
      assert.deepInclude(kept, {
        state: "sent",
        sequence: 4n,
        amount: 5n,
        transactionId: TransactionId.make(id(4)),
        raw: "0x4",
        deposit: deposit(1).onchainId
      })
      assert.deepStrictEqual(yield* payments.signOnce("fill", deposit(1).onchainId, payment, prepared, 9), kept)
    })
  )

  test(
    "recognises a replacement made after the backup as a variant of its payment",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { sequence, transactionId } = yield* payments.signOnce(
        "fill",
        deposit(1).onchainId,
        payment,
        prepared,
        9
      )
      const { payment: paid, sent } = found("fill", 70)
      const replacement = { chainId: beta, payment: paid, sent: { ...sent, sequence } }
      yield* payments.adoptVariant(replacement, 10)
      yield* payments.adoptVariant(replacement, 11)
      // It names another order, or its sequence has no payment: it is not a variant of ours.
      yield* payments.adoptVariant({
        ...replacement,
        payment: { ...paid, orderId: OrderId.make(id(1001)) },
        sent: { ...sent, sequence, transactionId: TransactionId.make(id(71)) }
      }, 10)
      yield* payments.adoptVariant({
        ...replacement,
        sent: { ...sent, sequence: 99n, transactionId: TransactionId.make(id(72)) }
      }, 10)
      const kept = yield* payments.find(orderId, "fill")
      assert.deepStrictEqual(kept?.variants.map((variant) => variant.transactionId), [
        transactionId,
        sent.transactionId
      ])
    })
  )

  test(
    "signs no refund for a deposit that was filled, and no fill for one that was refunded",
    Effect.gen(function*() {
      const payments = yield* Payments
      const refund = `refund:${deposit(1).onchainId}` as const
      const fill = yield* payments.signOnce("fill", deposit(1).onchainId, payment, prepared, 9)
      assert.deepStrictEqual(yield* payments.signOnce(refund, deposit(1).onchainId, payment, prepared, 9), fill)
      // Another deposit for the same order is refunded, no matter which deposit has the fill.
      const second = yield* payments.signOnce(
        `refund:${deposit(2).onchainId}`,
        deposit(2).onchainId,
        payment,
        prepared,
        9
      )
      assert.strictEqual(second.leg, `refund:${deposit(2).onchainId}`)
      yield* payments.recordOutcome(orderId, "fill", {
        state: "reverted",
        transactionId: fill.transactionId,
        block,
        gasPaid: 1n
      })
      assert.strictEqual((yield* payments.signOnce(refund, deposit(1).onchainId, payment, prepared, 9)).leg, refund)
      const other = { ...payment, orderId: OrderId.make(id(1001)) }
      const refunded = yield* payments.signOnce(refund, deposit(1).onchainId, other, prepared, 9)
      assert.deepStrictEqual(yield* payments.signOnce("fill", deposit(1).onchainId, other, prepared, 9), refunded)
    })
  )
})
