/** What the cap on unattested refunds holds back, what operators decide, and what was signed, on both engines. */
import { families } from "../../../src/domain/families/index.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "../testing/Named.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { UNATTESTED_WINDOW_MS, UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { describeStores } from "../testing/stores.ts"

const chainId = ChainId.make(616101)
const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const someone = Address.make(`0x${"a1".repeat(20)}`)
const native = CurrencyAddress.make(`0x${"0".repeat(40)}`)
const currency = { chainId, address: native, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }
const chain: Chain = {
  id: chainId,
  slug: ChainSlug.make("alpha"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "Alpha",
  depository: someone,
  router: undefined,
  vault: undefined,
  native: currency,
  currencies: [currency],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 1000,
  explorerUrl: undefined
}
const order = OrderId.make(word(0x200))
const depositOf = (n: number): Deposit => ({
  onchainId: word(n),
  chainId,
  transactionId: TransactionId.make(word(0x100 + n)),
  index: 0,
  block: { height: 5n, hash: "0xb5", time: 1 },
  depositId: Hex32.make(order),
  depositor: someone,
  sender: someone,
  currency: native,
  amount: 7n
})

const CAP = 100n
const start = 1_800_000_000_000

describeStores(({ test, testOnTables }) => {
  const reserve = Effect.fnUntraced(function*(n: number, usdMicros: bigint, at: number = start) {
    const unattested = yield* UnattestedRefunds
    return yield* unattested.reserve({ onchainId: word(n), usdMicros }, CAP, at)
  })
  const decide = Effect.fnUntraced(function*(n: number, by: string, at: number) {
    const unattested = yield* UnattestedRefunds
    return yield* unattested.decide({ onchainId: word(n), requestId: RequestId.make(word(9)), by, at })
  })
  /** Signs a refund of the deposit. */
  const sign = Effect.fnUntraced(function*(n: number, at: number, leg: "fill" | "refund" = "refund") {
    const payments = yield* Payments
    const prepared = {
      account: someone,
      chainSequence: 0n,
      costs: [],
      sign: (sequence: bigint) =>
        Effect.succeed({ transactionId: TransactionId.make(word(0x900 + Number(sequence))), raw: "0x" })
    }
    return yield* payments.signOnce(
      leg === "fill" ? leg : `refund:${word(n)}`,
      word(n),
      { _tag: "Refund", chain, currency, recipient: someone, amount: 5n, orderId: order },
      prepared,
      at
    )
  })
  const totals = Effect.flatMap(
    UnattestedRefunds,
    (unattested) => Effect.map(unattested.totals, (all) => all.map(({ usdMicros }) => usdMicros))
  )

  test(
    "a refund that does not fit under the cap is listed as held while it waits, and no longer once it is retried or fits",
    Effect.gen(function*() {
      const unattested = yield* UnattestedRefunds
      const deposits = yield* Deposits
      const history = yield* TransferHistory
      const held = Effect.map(
        unattested.held(9),
        (all) => all.map(({ deposit, heldAt, usdMicros }) => [deposit.onchainId, usdMicros, heldAt - start])
      )
      const isHeld = Effect.map(history.deposits(order), (all) => all.map((each) => each.isHeld))
      yield* deposits.note(named([depositOf(1), depositOf(2), depositOf(3)]), start)
      assert.isFalse(yield* reserve(1, 101n))
      assert.isFalse(yield* reserve(2, 102n, start + 5))
      // Its filling has not ended.
      assert.deepStrictEqual([yield* held, yield* isHeld], [[], [false, false, false]])
      for (const n of [1, 2, 3]) yield* deposits.close(word(n), 1, "unrefundable", start)
      // The third waits for another reason.
      assert.deepStrictEqual([yield* held, yield* isHeld], [[[word(1), 101n, 0], [word(2), 102n, 5]], [
        true,
        true,
        false
      ]])
      assert.lengthOf(yield* unattested.held(1), 1)
      yield* deposits.reopen(word(1))
      assert.deepStrictEqual(yield* isHeld, [false, true, false])
      // It could not be refunded for another reason this time.
      yield* deposits.close(word(1), 2, "unrefundable", start)
      assert.deepStrictEqual([yield* held, yield* isHeld], [[[word(2), 102n, 5]], [false, true, false]])
      assert.isTrue(yield* unattested.reserve({ onchainId: word(2), usdMicros: 102n }, 200n, start + 6))
      assert.deepStrictEqual(yield* held, [])
    })
  )

  test(
    "a decision refunds one deposit regardless of the cap, takes no room from others, and the first one stays",
    Effect.gen(function*() {
      const unattested = yield* UnattestedRefunds
      assert.isTrue(yield* reserve(1, 60n))
      assert.isFalse(yield* reserve(2, 5_000n))
      const decided = yield* Effect.all([decide(2, "ann", start + 1), decide(2, "bob", start + 1)], { concurrency: 2 })
      assert.deepStrictEqual(decided[0], decided[1])
      const first = decided[0].by
      assert.deepStrictEqual((yield* decide(2, "eve", start + 2)).by, first)
      assert.deepStrictEqual(yield* unattested.decisions(9), [{
        onchainId: word(2),
        requestId: RequestId.make(word(9)),
        by: first,
        at: start + 1
      }])
      assert.isTrue(yield* reserve(2, 5_000n, start + 3))
      assert.isTrue(yield* reserve(2, 5_000n, start + 4))
      assert.deepStrictEqual([yield* reserve(3, 41n, start + 5), yield* reserve(3, 40n, start + 5)], [false, true])
      // No operator has decided on that one.
      assert.isFalse(yield* reserve(4, 1n, start + 6))
      yield* decide(3, "ann", start + 9)
      assert.deepStrictEqual((yield* unattested.decisions(9)).map(({ onchainId }) => onchainId), [word(3), word(2)])
      assert.lengthOf(yield* unattested.decisions(1), 1)
    })
  )

  test(
    "a signed refund is counted once by the transaction that signs it, counts under the cap from then on, and is never forgotten",
    Effect.gen(function*() {
      const payments = yield* Payments
      assert.isTrue(yield* reserve(1, 60n))
      assert.isTrue(yield* reserve(2, 20n))
      // A reservation is not a loss yet. A refund without a reservation, and a fill, are no unattested refunds.
      assert.deepStrictEqual(yield* totals, [])
      yield* sign(7, start)
      yield* sign(8, start, "fill")
      assert.deepStrictEqual(yield* totals, [])
      const paid = yield* sign(1, start + 3_000_000)
      yield* sign(1, start + 3_000_001)
      assert.deepStrictEqual(yield* totals, [60n])
      yield* sign(2, start)
      assert.deepStrictEqual(yield* totals, [80n])
      // A day after it was signed, not after it was reserved.
      assert.isFalse(yield* reserve(3, 41n, start + 3_000_000 + UNATTESTED_WINDOW_MS - 1))
      assert.isTrue(yield* reserve(3, 41n, start + 3_000_000 + UNATTESTED_WINDOW_MS))
      // Signed again days later: it is one loss in total, and counts under the cap again.
      yield* payments.setAside(paid)
      const later = start + 5 * UNATTESTED_WINDOW_MS
      assert.isTrue(yield* reserve(1, 70n, later))
      yield* sign(1, later)
      assert.deepStrictEqual(yield* totals, [80n])
      assert.isFalse(yield* reserve(4, 31n, later))
    })
  )

  testOnTables(
    "what was signed is kept, and what was not is deleted after two days",
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const n of [1, 2, 3]) yield* reserve(n, 10n)
      for (const n of [1, 2]) yield* sign(n, start)
      yield* reserve(4, 101n, start + 5 * UNATTESTED_WINDOW_MS)
      const kept = yield* sql`SELECT onchain_id FROM unattested_refunds ORDER BY onchain_id`
      assert.deepStrictEqual(kept.map((row) => row["onchain_id"]), [word(1), word(2)])
    })
  )
})
