/** Thousands of deposits of dust put a stated number of statements before an honest one, on both engines. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Statement } from "effect/sql"
import { layerMigrations } from "../../../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../../../adapters/storage/migrations/index.ts"
import * as SqlDeposits from "../../../../adapters/storage/orders/Deposits.ts"
import { describeEngines } from "../../../../adapters/storage/testing/engines.ts"
import * as SqlTransfers from "../../../../adapters/storage/orders/Transfers.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"

const DUST = 14_000
/** Of a thousand rows each: which ids are orders of ours, what is kept of the others; and a transaction's two. */
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
  const stores = Layer.mergeAll(SqlDeposits.layer, SqlTransfers.layer).pipe(
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
    }).pipe(Effect.provide(stores)), 60_000)
})
