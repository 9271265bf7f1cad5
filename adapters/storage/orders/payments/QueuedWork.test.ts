/**
 * Work that payments are made for without an order, on every store: a sweep, permit or payout never ends as having moved
 * nothing while one of its payments may be executed, whichever of the two comes first (ADDRESS-18).
 */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { AppBalances } from "../../../../ports/store/ledger/AppBalances.ts"
import { Ledger } from "../../../../ports/store/ledger/Ledger.ts"
import { Payouts } from "../../../../ports/store/ledger/Payouts.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { PermitSubmissions } from "../../../../ports/store/orders/PermitSubmissions.ts"
import { Sweeps } from "../../../../ports/store/orders/Sweeps.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { Hex, Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { payoutMovementId, signedMovementId } from "../../../../src/domain/ledger/LedgerIds.ts"
import { credit, returnPayout, withdraw } from "../../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../../src/domain/ledger/Transaction.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { alpha, evmAddress } from "../../../../src/domain/quote/testing/Chains.ts"
import type { StorePorts } from "../../testing/StoreLayers.ts"
import { describeStores } from "../../testing/stores.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const account = Address.make(evmAddress("51"))
const wallet = Address.make(evmAddress("a1"))
const currency = { chainId: alpha.id, address: alpha.native.address }

type Leg = "sweep" | "permit" | "payout"

interface Standing {
  readonly state: string
  readonly round: number
}

/** How one kind of work is queued, ended unpaid, and read. */
interface Work {
  readonly leg: Leg
  readonly unpaid: string
  readonly queued: string
  readonly queue: (id: Hex32, n: number) => Effect.Effect<unknown, unknown, StorePorts>
  readonly endUnpaid: (id: Hex32, round: number) => Effect.Effect<void, unknown, StorePorts>
  readonly find: (id: Hex32) => Effect.Effect<Standing | undefined, StoreUnavailable, StorePorts>
}

const sweep: Work = {
  leg: "sweep",
  unpaid: "void",
  queued: "queued",
  queue: (id, n) =>
    Effect.flatMap(Sweeps, (sweeps) =>
      sweeps.queue({
        id,
        chainId: alpha.id,
        address: Address.make(`0x${n.toString(16).padStart(40, "0")}`),
        currency: currency.address,
        number: 0,
        orderId: OrderId.make(word(9)),
        depositor: wallet,
        units: 5n,
        queuedAt: n
      })),
  endUnpaid: (id, round) =>
    Effect.flatMap(Sweeps, (sweeps) => sweeps.close(id, round, { state: "void", height: 8n }, 20)),
  find: (id) => Effect.flatMap(Sweeps, (sweeps) => sweeps.find(id))
}

const permit: Work = {
  leg: "permit",
  unpaid: "void",
  queued: "queued",
  queue: (id, n) =>
    Effect.flatMap(PermitSubmissions, (permits) =>
      permits.queue({
        id,
        orderId: OrderId.make(word(5000 + n)),
        number: 0,
        chainId: alpha.id,
        signature: Hex.make("0x12"),
        owner: Address.make(`0x${n.toString(16).padStart(40, "0")}`),
        reservedMicros: 1n,
        queuedAt: n
      }, 1_000_000n)),
  endUnpaid: (id, round) => Effect.flatMap(PermitSubmissions, (permits) => permits.close(id, round, "void", 20)),
  find: (id) => Effect.flatMap(PermitSubmissions, (permits) => permits.find(id))
}

const payout: Work = {
  leg: "payout",
  unpaid: "returned",
  queued: "open",
  queue: (id, n) =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      const nonce = BigInt(n)
      const units = 5n
      yield* ledger.post(
        Result.getOrThrow(credit({ id: LedgerId.make(`credit ${n}`), currency, wallet, units })),
        1
      )
      yield* payouts.reserve(
        {
          id,
          kind: "withdraw",
          wallet,
          recipient: wallet,
          currency,
          amount: units,
          nonce,
          paid: { currency, amount: units },
          askedAt: n
        },
        Result.getOrThrow(withdraw({
          id: signedMovementId("withdraw", wallet, nonce),
          currency,
          wallet,
          payout: id,
          units
        }))
      )
    }),
  endUnpaid: (id, round) =>
    Effect.flatMap(Payouts, (payouts) =>
      payouts.close(
        id,
        round,
        "returned",
        Result.getOrThrow(
          returnPayout({
            id: payoutMovementId("returned", id, round),
            currency,
            wallet,
            payout: id,
            units: 5n,
            kind: "withdraw"
          })
        ),
        20
      )),
  find: (id) => Effect.flatMap(Payouts, (payouts) => payouts.find(id))
}

const signFor = (leg: Leg, id: Hex32) =>
  Effect.flatMap(Payments, (payments) =>
    payments.signOnce(
      leg,
      id,
      {
        _tag: "Payout",
        chain: alpha,
        currency: alpha.native,
        recipient: wallet,
        amount: 5n,
        orderId: OrderId.make(id)
      },
      {
        account,
        chainSequence: 0n,
        costs: [],
        sign: (sequence) =>
          Effect.succeed({ transactionId: TransactionId.make(word(70_000 + Number(sequence))), raw: `raw ${sequence}` })
      },
      10
    ))

describeStores(({ test }) => {
  for (const work of [sweep, permit, payout]) {
    const { endUnpaid, find, leg, queue, queued, unpaid } = work
    const stateOf = (id: Hex32) => Effect.map(find(id), (found) => [found?.state, found?.round])

    test(
      `a ${leg} of which a payment is in flight is queued in its next round instead of ending unpaid`,
      Effect.gen(function*() {
        const payments = yield* Payments
        const id = Hex32.make(word(1))
        yield* queue(id, 1)
        const signed = yield* signFor(leg, id)
        yield* endUnpaid(id, 0)
        assert.deepStrictEqual(yield* stateOf(id), [queued, 1])
        yield* endUnpaid(id, 0)
        assert.deepStrictEqual(yield* stateOf(id), [queued, 1], "another round's")
        yield* payments.recordSent(signed)
        yield* endUnpaid(id, 1)
        assert.deepStrictEqual(yield* stateOf(id), [queued, 2])
        // Proven dead: nothing is in flight any more.
        yield* payments.setAside(signed)
        yield* endUnpaid(id, 2)
        assert.deepStrictEqual(yield* stateOf(id), [unpaid, 2])
      })
    )

    test(
      `a ${leg} that reverted ends unpaid, and one that a block has does not`,
      Effect.gen(function*() {
        const payments = yield* Payments
        const block = { height: 7n, hash: Hex32.make(word(0xb7)), time: 7 }
        for (const [n, state] of [[1, "reverted"], [2, "included"]] as const) {
          const id = Hex32.make(word(n))
          yield* queue(id, n)
          const { orderId, transactionId } = yield* signFor(leg, id)
          yield* payments.recordOutcome(orderId, leg, { state, transactionId, block, gasPaid: 1n })
          yield* endUnpaid(id, 0)
          assert.deepStrictEqual(yield* stateOf(id), state === "reverted" ? [unpaid, 0] : [queued, 1])
        }
      })
    )

    test(
      `nothing is signed for a ${leg} that has ended unpaid, and its sequence stays free`,
      Effect.gen(function*() {
        const [ended, next] = [Hex32.make(word(1)), Hex32.make(word(2))] as const
        yield* queue(ended, 1)
        yield* endUnpaid(ended, 0)
        assert.deepStrictEqual(yield* stateOf(ended), [unpaid, 0])
        assert.strictEqual((yield* Effect.flip(signFor(leg, ended)))._tag, "PaymentUndue")
        yield* queue(next, 2)
        assert.strictEqual((yield* signFor(leg, next)).sequence, 0n)
      })
    )

    test(
      `of a signature for a ${leg} and its end at the same moment, one excludes the other`,
      Effect.gen(function*() {
        for (let n = 1; n <= inputs(40, 400); n++) {
          const id = Hex32.make(word(n))
          yield* queue(id, n)
          const signing = Effect.exit(signFor(leg, id))
          const ending = endUnpaid(id, 0)
          const both = n % 2 === 0 ? [signing, ending] : [ending, signing]
          yield* Effect.all(both, { concurrency: "unbounded" })
          const payments = yield* Payments
          const isSigned = (yield* payments.find(OrderId.make(id), leg)) !== undefined
          assert.deepStrictEqual(yield* stateOf(id), isSigned ? [queued, 1] : [unpaid, 0])
        }
      })
    )
  }

  test(
    "a sweep or permit that is done is not recorded as void while its payment stands",
    Effect.gen(function*() {
      const payments = yield* Payments
      const permits = yield* PermitSubmissions
      const sweeps = yield* Sweeps
      const [swept, posted] = [Hex32.make(word(1)), Hex32.make(word(2))] as const
      yield* sweep.queue(swept, 1)
      yield* permit.queue(posted, 2)
      const legs = [["sweep", swept], ["permit", posted]] as const
      const signed = yield* Effect.forEach(legs, ([leg, id]) => signFor(leg, id))
      yield* sweeps.close(swept, 0, { state: "done", height: 7n }, 10)
      yield* permits.close(posted, 0, "done", 10)
      yield* sweeps.fail(swept, 0)
      yield* permits.fail(posted, 0, 11)
      assert.deepInclude(yield* sweeps.find(swept), { state: "queued", round: 1, height: undefined })
      assert.deepInclude(yield* permits.find(posted), { state: "queued", round: 1 })
      yield* sweeps.close(swept, 1, { state: "done", height: 9n }, 12)
      yield* permits.close(posted, 1, "done", 12)
      yield* Effect.forEach(signed, (payment) => payments.setAside(payment))
      yield* sweeps.fail(swept, 1)
      yield* permits.fail(posted, 1, 13)
      assert.strictEqual((yield* sweeps.find(swept))?.state, "void")
      assert.strictEqual((yield* permits.find(posted))?.state, "void")
    })
  )

  test(
    "what a payout keeps reserved while its payment is in flight is paid once and never returned",
    Effect.gen(function*() {
      const balances = yield* AppBalances
      const payments = yield* Payments
      const id = Hex32.make(word(1))
      const free = balances.accountsOf(wallet)
      yield* payout.queue(id, 1)
      const reserved = yield* free
      const signed = yield* signFor("payout", id)
      yield* payout.endUnpaid(id, 0)
      assert.deepStrictEqual(yield* free, reserved)
      yield* payments.setAside(signed)
      yield* payout.endUnpaid(id, 1)
      assert.notDeepEqual(yield* free, reserved)
    })
  )
})
