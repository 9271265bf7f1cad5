/**
 * An address's quote is dropped only while nothing was ever seen for it, and the address itself never; on both engines.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import * as SqlDepositAddresses from "../orders/DepositAddresses.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import { describeEngines } from "../testing/engines.ts"
import { addressTransfer, transferOf } from "../testing/Transfers.ts"
import * as SqlTransfers from "../orders/Transfers.ts"
import * as SqlUnpaidAddresses from "./UnpaidAddresses.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const addressOf = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const alpha = ChainId.make(616101)
const someone = addressOf(9)

/** A quote made at the time `n`; its order is 0x1000000 + n. */
const quoted = (n: number) =>
  addressTransfer(n, { address: addressOf(n), mode: "open", depositor: someone, refundTo: addressOf(0xb0) }, {
    quotedAt: n
  })

const sweepRow = (n: number) => ({
  id: id(7000 + n),
  chain_id: alpha,
  address: addressOf(n),
  currency: addressOf(0),
  number: 0,
  order_id: id(0x1000000 + n),
  depositor: someone,
  deposit_id: null as string | null,
  units: "5",
  state: "queued",
  height: null,
  round: 0,
  queued_at: n
})

describeEngines((_name, engine) => {
  const repositories = Layer.mergeAll(SqlUnpaidAddresses.layer, SqlDepositAddresses.layer, SqlTransfers.layer).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )

  it.live("drops quotes in pages, and keeps each address, which can never be deleted and is no longer watched", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [unpaid, addresses, transfers] = [yield* UnpaidAddresses, yield* DepositAddresses, yield* Transfers]
      for (const n of [3, 1, 2, 9]) yield* transfers.add(quoted(n))
      yield* transfers.add(transferOf(5, { quotedAt: 1 }))
      const first = yield* unpaid.list(9, undefined, 2)
      const second = yield* unpaid.list(9, first.at(-1), 2)
      assert.deepStrictEqual([first, second].map((page) => page.map((each) => Number(each.id))), [[1, 2], [3]])
      const [one] = first
      if (one === undefined) return assert.fail("none")
      assert.isUndefined(yield* unpaid.dropped(addressOf(1)))
      assert.isTrue(yield* unpaid.drop(one, 50))
      assert.isFalse(yield* unpaid.drop(one, 50))
      assert.isUndefined(yield* transfers.find(one.id))
      assert.isUndefined(yield* addresses.findByRequest(one.id))
      const kept = yield* unpaid.dropped(addressOf(1))
      assert.deepStrictEqual(kept, one.kept)
      assert.deepStrictEqual(yield* addresses.find(alpha, addressOf(1)), one.kept)
      const watched = yield* addresses.recent(alpha, { since: 0, until: undefined }, undefined, 9)
      assert.notInclude(watched.addresses.map(({ address }) => address), addressOf(1))
      assert.lengthOf(watched.addresses, 3)
      assert.strictEqual(
        (yield* Effect.flip(sql`DELETE FROM deposit_addresses WHERE address = ${addressOf(1)}`))._tag,
        "SqlError"
      )
      const [row] = yield* sql`SELECT * FROM deposit_addresses WHERE address = ${addressOf(1)}`
      assert.isBelow(
        Object.values(row ?? {}).map((value) => String(value).length).reduce((sum, each) => sum + each, 0),
        512
      )
    }).pipe(Effect.provide(repositories)))

  it.live("drops nothing for which anything was ever seen, or is recorded concurrently", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [unpaid, transfers] = [yield* UnpaidAddresses, yield* Transfers]
      for (const n of [1, 2, 3, 4, 5]) yield* transfers.add(quoted(n))
      yield* sql`INSERT INTO deposits ${
        sql.insert({
          onchain_id: id(2001),
          chain_id: alpha,
          transaction_id: id(3001),
          deposit_id: id(0x1000001),
          deposit: "{}",
          block_hash: "0x",
          sighting: 1,
          state: "gone",
          seen_at: 1
        })
      }`
      yield* sql`INSERT INTO sweeps ${sql.insert({ ...sweepRow(2), state: "void" })}`
      yield* transfers.add(
        addressTransfer(8, { address: addressOf(3), mode: "open", depositor: someone }, { quotedAt: 8 })
      )
      const all = yield* unpaid.list(5, undefined, 9)
      const sweeping = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(sql`INSERT INTO sweeps ${sql.insert(sweepRow(4))}`, Effect.sleep("300 millis"))
        )
      )
      yield* Effect.sleep("100 millis")
      assert.deepStrictEqual(yield* Effect.forEach(all, (each) => unpaid.drop(each, 50)), [false, false, false, false])
      yield* Fiber.join(sweeping)
      const [last] = yield* unpaid.list(6, all.at(-1), 9)
      if (last === undefined) return assert.fail("none")
      assert.isTrue(yield* unpaid.drop(last, 50))
    }).pipe(Effect.provide(repositories)))

  it.live("knows what our sweeps took from a dropped address under no order, and nothing else", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [unpaid, transfers] = [yield* UnpaidAddresses, yield* Transfers]
      for (const n of [1, 2]) yield* transfers.add(quoted(n))
      const [one] = yield* unpaid.list(9, undefined, 1)
      if (one === undefined) return assert.fail("none")
      yield* unpaid.drop(one, 50)
      // For the dropped address, and for one whose quote is kept.
      for (const n of [1, 2]) {
        yield* sql`INSERT INTO sweeps ${sql.insert({ ...sweepRow(n), deposit_id: id(0) })}`
        const place = { chain_id: alpha, account: someone, sequence: `${n}` }
        yield* sql`INSERT INTO payments ${
          sql.insert({
            ...place,
            order_id: id(7000 + n),
            leg: "sweep",
            deposit: id(7000 + n),
            transaction_id: id(4000 + n),
            raw: "0x",
            state: "signed",
            recipient: addressOf(1),
            currency: addressOf(0),
            amount: "0",
            signed_at: 1,
            block: null,
            gas_paid: null
          })
        }`
        yield* sql`INSERT INTO payment_variants ${
          sql.insert({ ...place, transaction_id: id(4000 + n), variant: 0, raw: "0x", signed_at: 1 })
        }`
      }
      const sweptBy = (n: number, currency: number) =>
        Effect.map(
          unpaid.sweptBy(TransactionId.make(id(4000 + n)), CurrencyAddress.make(addressOf(currency))),
          (kept) => kept?.address
        )
      assert.deepStrictEqual([yield* sweptBy(1, 0), yield* sweptBy(1, 5), yield* sweptBy(2, 0), yield* sweptBy(3, 0)], [
        addressOf(1),
        undefined,
        undefined,
        undefined
      ])
      const asked = Array.from({ length: 2_500 }, (_, index) => TransactionId.make(id(4000 + index)))
      assert.deepStrictEqual([...yield* unpaid.sweepsAmong(asked)], [id(4001)])
      assert.strictEqual((yield* unpaid.sweepsAmong([])).size, 0)
    }).pipe(Effect.provide(repositories)))
})
