/** The texts of a transfer's row are what the columns' schemas encode, and decode to the same transfer. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Order } from "../../../../src/domain/order/Order.ts"
import { order } from "../../../../src/domain/order/testing/Orders.ts"
import { TransferTerms } from "../../../../src/domain/transfer/Transfer.ts"
import type { Transfer } from "../../../../src/domain/transfer/Transfer.ts"
import { JsonText } from "../../engine/Columns.ts"
import { transferOf } from "../../testing/Transfers.ts"
import { decodeTransfers, transferRow } from "./TransferRows.ts"

const encodeOrder = Schema.encodeSync(JsonText(Order))
const encodeTerms = Schema.encodeSync(JsonText(TransferTerms))

const parsed = (text: string): unknown => JSON.parse(text)

const assertRow = (transfer: Transfer): void => {
  const row = transferRow(transfer)
  assert.deepStrictEqual(parsed(row.order_json), parsed(encodeOrder(transfer.order)))
  assert.deepStrictEqual(parsed(row.terms), parsed(encodeTerms(transfer.terms)))
}

describe("the row of a transfer", () => {
  it.effect("has the texts of its columns' schemas, whatever the order and the terms", () =>
    Effect.gen(function*() {
      const count = inputs(2_000, 20_000)
      const plain = transferOf(1, {})
      const terms = yield* Arbitrary.sampleEffect(Arbitrary.schema(TransferTerms), { count })
      for (const each of terms) assertRow({ ...plain, terms: each })
      fc.assert(fc.property(order, (each) => assertRow({ ...plain, order: each })), { numRuns: count })
    }))

  it.effect("is the transfer that is read", () =>
    Effect.gen(function*() {
      const transfer = transferOf(7, { quotedAt: 5 })
      assert.deepStrictEqual(yield* decodeTransfers([transferRow(transfer)]), [transfer])
    }))
})
