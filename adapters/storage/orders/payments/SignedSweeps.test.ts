/** On every store: what was ever signed for the sweeps of an address is found, also what was set aside (TRON-26). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../../ports/store/orders/Payments.ts"
import { Sweeps } from "../../../../ports/store/orders/Sweeps.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { alpha, evmAddress } from "../../../../src/domain/quote/testing/Chains.ts"
import { describeStores } from "../../testing/stores.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const account = (digits: string) => Address.make(evmAddress(digits))
const [solver, one, other] = [account("51"), account("a1"), account("a2")]

const queue = (n: number, address: Address, currency: CurrencyAddress = alpha.native.address, chainId = alpha.id) =>
  Effect.flatMap(Sweeps, (sweeps) =>
    sweeps.queue({
      id: Hex32.make(word(n)),
      chainId,
      address,
      currency,
      number: 0,
      orderId: OrderId.make(word(9)),
      depositor: one,
      units: 5n,
      queuedAt: n
    }))

const sign = (n: number, chain = alpha, purpose: PaymentPurpose = "sweep") =>
  Effect.flatMap(Payments, (payments) =>
    payments.signOnce(
      purpose,
      Hex32.make(word(n)),
      { _tag: "Payout", chain, currency: chain.native, recipient: one, amount: 5n, orderId: OrderId.make(word(n)) },
      {
        account: solver,
        chainSequence: 0n,
        costs: [],
        sign: (sequence) =>
          Effect.succeed({
            transactionId: TransactionId.make(word(70_000 + 100 * chain.id + Number(sequence))),
            raw: `raw ${chain.id} ${sequence}`
          })
      },
      10
    ))

const signed = (address: Address, chainId = alpha.id) =>
  Effect.flatMap(Sweeps, (sweeps) => Effect.map(sweeps.signed(chainId, address), (all) => all.map(({ raw }) => raw)))

describeStores(({ test }) => {
  test(
    "everything signed for sweeps of an address on a chain, of each currency, with each variant and what was set aside",
    Effect.gen(function*() {
      const payments = yield* Payments
      const beta = { ...alpha, id: ChainId.make(alpha.id + 1) }
      assert.deepStrictEqual(yield* signed(one), [])
      yield* queue(1, one)
      assert.deepStrictEqual(yield* signed(one), [])
      const first = yield* sign(1)
      const replaced = yield* payments.replace(first, {
        extra: { holder: solver, currency: alpha.native.address, amount: 0n, balance: 0n },
        mostGas: 0n,
        sign: Effect.succeed({ transactionId: TransactionId.make(word(1_000_000)), raw: "raised" })
      }, 11)
      yield* payments.setAside(replaced ?? assert.fail("not replaced"))
      const again = yield* sign(1)
      yield* queue(2, one, CurrencyAddress.make(evmAddress("c2")))
      const token = yield* sign(2)
      // Of another address, another chain, and none of a sweep.
      yield* queue(3, other)
      yield* sign(3)
      yield* queue(4, one, undefined, beta.id)
      const elsewhere = yield* sign(4, beta)
      yield* sign(2, alpha, "payout")
      assert.deepStrictEqual(yield* signed(one), [first.raw, again.raw, token.raw, "raised"])
      assert.deepStrictEqual(yield* signed(one, beta.id), [elsewhere.raw])
    })
  )
})
