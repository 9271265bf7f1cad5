/**
 * Thousands of dust deposits put a bounded number of statements before an honest one, under any ids. Of one order only
 * a few are handled at a time, the user's own first. On both engines.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Statement } from "effect/sql"
import { layerMigrations } from "../../../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../../../adapters/storage/migrations/index.ts"
import * as SqlDeposits from "../../../../adapters/storage/orders/Deposits.ts"
import { describeEngines } from "../../../../adapters/storage/testing/engines.ts"
import * as SqlTransferHistory from "../../../../adapters/storage/orders/TransferHistory.ts"
import * as SqlTransfers from "../../../../adapters/storage/orders/Transfers.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { MOST_SHOWN, TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { NO_ORDER } from "../../../../src/domain/deposit-address/reindex/NoOrder.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"

const DUST = 14_000
/** For each thousand rows: which ids are orders of ours, what is stored of the others; and a transaction's two. */
const STATEMENTS = 15 + 15 + 2

const id = (n: number): Hex32 => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const stranger = Address.make(`0x${"0".repeat(38)}a1`)

const dust = (n: number): Deposit => ({
  onchainId: id(n),
  chainId: ChainId.make(616101),
  transactionId: TransactionId.make(id(n % 5)),
  index: n,
  block: { height: 7n, hash: "0xb1", time: 1 },
  depositId: id(n + 1_000_000),
  depositor: stranger,
  sender: stranger,
  currency: CurrencyAddress.make(`0x${"0".repeat(40)}`),
  amount: 1n
})

describeEngines((_name, engine) => {
  const stores = Layer.mergeAll(SqlDeposits.layer, SqlTransfers.layer, SqlTransferHistory.layer).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )

  it.live(`${DUST} deposits under ids of no order cost at most ${STATEMENTS} statements`, () =>
    Effect.gen(function*() {
      const all = Array.from({ length: DUST }, (_, n) => dust(n))
      let statements = 0
      const counting = Effect.provideService(Statement.CurrentTransformer, (statement) =>
        Effect.sync(() => {
          statements += 1
          return statement
        }))
      const [transfers, deposits] = [yield* Transfers, yield* Deposits]
      assert.strictEqual(
        (yield* counting(transfers.known(all.map(({ depositId }) => OrderId.make(depositId))))).size,
        0
      )
      assert.strictEqual(yield* counting(deposits.noteForeign(all, 1_000)), DUST)
      assert.isAtLeast(statements, 28)
      assert.isAtMost(statements, STATEMENTS)
    }).pipe(Effect.provide(stores)))

  it.live(
    `${DUST} deposits under one order cost at most ${STATEMENTS} statements, and wait for each other`,
    () =>
      Effect.gen(function*() {
        const deposits = yield* Deposits
        const history = yield* TransferHistory
        let statements = 0
        const counting = Effect.provideService(Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            statements += 1
            return statement
          }))
        const order = OrderId.make(id(77))
        const all = Array.from({ length: DUST }, (_, n) => ({
          deposit: { ...dust(n), depositId: order, amount: BigInt(n) },
          precedence: BigInt(n)
        }))
        const own = { deposit: { ...dust(DUST), depositId: order }, precedence: 2n ** 256n + 1n }
        const [honest, nameless] = [DUST + 1, DUST + 2].map((n) => ({ deposit: dust(n), precedence: 0n }))
        assert.isDefined(honest)
        assert.isDefined(nameless)
        const swept = { ...nameless, deposit: { ...nameless.deposit, depositId: NO_ORDER } }

        const cursor = { height: 9n, hash: "0x9" }
        const seen = yield* counting(deposits.record(ChainId.make(616101), cursor, all, 1_000))
        assert.lengthOf(seen, DUST)
        yield* deposits.note([honest], 2_000)
        yield* deposits.note([own, swept], 3_000)
        const idsOf = (found: ReadonlyArray<{ readonly onchainId: Hex32 }>) => found.map(({ onchainId }) => onchainId)
        const largest = (from: number, to: number) =>
          all.slice(DUST - to, DUST - from).map(({ deposit }) => deposit.onchainId)
        const others = [honest, own, swept].map(({ deposit }) => deposit.onchainId)
        assert.deepStrictEqual(idsOf(yield* counting(deposits.open(16))), [...largest(0, 15), ...others])

        // When one ends, the next begins.
        yield* deposits.close(own.deposit.onchainId, 1, "filled", 4_000)
        yield* deposits.close(id(DUST - 1), 1, "unrefundable", 4_000)
        assert.deepStrictEqual(idsOf(yield* deposits.open(16)), [
          ...largest(1, 17),
          honest.deposit.onchainId,
          swept.deposit.onchainId
        ])

        // The deposits that a client sees in the request's state.
        const shown = (yield* counting(history.deposits(order))).map(({ deposit }) => deposit.onchainId)
        assert.deepStrictEqual(shown, [...largest(0, MOST_SHOWN - 1), own.deposit.onchainId])
        assert.lengthOf(yield* history.allDeposits(order), DUST + 1)
        assert.isAtLeast(statements, 14)
        assert.isAtMost(statements, STATEMENTS)
      }).pipe(Effect.provide(stores)),
    60_000
  )
})
