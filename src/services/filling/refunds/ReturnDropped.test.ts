/** Which deposits without an order of ours are sweeps whose money goes back, after a restore. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { DepositAddresses } from "../../../../ports/store/orders/DepositAddresses.ts"
import type { KeptAddress } from "../../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments, PaymentsHeld } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, PaymentState } from "../../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import type { RecordedPayment } from "../../../../ports/store/orders/TransferHistory.ts"
import { UnpaidAddresses } from "../../../../ports/store/operations/UnpaidAddresses.ts"
import { Address } from "../../../domain/chain/Address.ts"
import { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { Hex32 } from "../../../domain/encoding/Hex.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { alpha, evmAddress } from "../../../domain/quote/testing/Chains.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../../domain/transfer/RequestId.ts"
import { defaultPolicy, Policy } from "../../operations/Policy.ts"
import { loadDropped, returnDropped } from "./ReturnDropped.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const key = Address.make(evmAddress("11"))
const stranger = Address.make(evmAddress("22"))
/** Who has on the hub what no order claims, unless a sweep names the address itself. */
const owner = Address.make(evmAddress("33"))
const onchainId = word(1)
const transactionId = TransactionId.make("ab".repeat(32))

const kept: KeptAddress = {
  chainId: alpha.id,
  address: key,
  mode: "open",
  requestId: RequestId.make(word(3)),
  orderId: OrderId.make(word(3)),
  depositor: owner,
  factory: undefined,
  currency: alpha.native.address,
  refundTo: undefined,
  apiKeyId: undefined,
  createdAt: 0
}

const swept = (changes: Partial<Deposit> = {}) =>
  ({ onchainId, chainId: alpha.id, depositId: word(2), sender: key, depositor: key, ...changes }) as Deposit

const found = (
  deposit: Deposit,
  stored: ReadonlyArray<PaymentPurpose> = [],
  held = false,
  state: PaymentState = "included"
) =>
  loadDropped(onchainId, 1).pipe(
    Effect.provide(Layer.mergeAll(
      Layer.mock(Deposits, { find: () => Effect.succeed({ deposit, sighting: 1 }) }),
      Layer.mock(DepositAddresses, {
        among: (accounts) => Effect.succeed(accounts.includes(key) ? [kept] : [])
      }),
      Layer.mock(UnpaidAddresses, { sweptBy: () => Effect.succeed(undefined) }),
      Layer.mock(TransferHistory, {
        allPayments: () => Effect.succeed(stored.map((leg) => ({ leg, state }) as unknown as RecordedPayment))
      }),
      Layer.mock(Payments, {
        refuseHeld: ({ slug }) => held ? Effect.fail(new PaymentsHeld({ chain: slug })) : Effect.void
      }),
      Layer.succeed(Chains, { all: [alpha] })
    ))
  )

const loaded = (...of: Parameters<typeof found>) =>
  Effect.map(found(...of), (dropped) => {
    if (dropped === undefined) return undefined
    return dropped.isCredited ? `credited, ${dropped.order}` : dropped.order
  })

describe("a deposit for an order that a restored store does not know", () => {
  it.effect("is a forgotten sweep when one of our addresses sent it, and is refunded once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* loaded(swept()), "forgotten")
      assert.strictEqual(yield* loaded(swept(), [`refund:${onchainId}`]), "forgotten", "its own refund is followed")
    }))

  it.effect("is one too when it names the address's depositor, whom the hub credits with it", () =>
    Effect.gen(function*() {
      const named = swept({ depositor: owner })
      assert.strictEqual(yield* loaded(named), "credited, forgotten")
      assert.strictEqual(yield* loaded(named, [`refund:${onchainId}`]), "credited, forgotten")
      assert.isUndefined(yield* loaded(named, ["fill"]))
      assert.instanceOf(yield* Effect.flip(loaded(named, ["fill"], true)), PaymentsHeld)
    }))

  it.effect("is named to operators, and stays for that depositor, where they have set no sum for its refund", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const log = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      const dropped = (yield* found(swept({ depositor: owner, transactionId }))) ?? assert.fail("it is not found")
      // It ends before it reads or pays anything.
      const returned = returnDropped(dropped, 1) as Effect.Effect<string, never, Policy>
      const layer = Layer.merge(Layer.succeed(Policy, defaultPolicy), Logger.layer([log]))
      assert.strictEqual(yield* Effect.provide(returned, layer), "foreign")
      assert.match(lines.join("\n"), new RegExp(`^Error .*forgotten.*${owner}.*${transactionId}`, "u"))
    }))

  it.effect("is not refunded when somebody else sent it, or owns it on the hub", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* loaded(swept({ sender: stranger })))
      assert.isUndefined(yield* loaded(swept({ sender: owner, depositor: owner })))
      assert.isUndefined(yield* loaded(swept({ depositor: stranger })))
      assert.isUndefined(yield* loaded(swept({ depositId: word(0) })))
    }))

  it.effect("is refunded when all payments of its order have reverted, in final blocks: they have paid nothing", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* loaded(swept(), ["fill", `refund:${word(9)}`], false, "reverted"), "forgotten")
      for (const state of ["signed", "sent", "included"] as const) {
        assert.isUndefined(yield* loaded(swept(), ["fill"], false, state), state)
      }
    }))

  it.effect("is not refunded when its order was paid, and is not judged before all payments are known", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* loaded(swept(), [`refund:${word(9)}`]))
      assert.isUndefined(yield* loaded(swept(), ["fill", `refund:${onchainId}`]))
      assert.instanceOf(yield* Effect.flip(loaded(swept(), ["fill"], true)), PaymentsHeld)
    }))
})
