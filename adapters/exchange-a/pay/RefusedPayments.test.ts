/** How long a payment that the exchange refused is not asked about again. */
import { assert, describe, it } from "@effect/vitest"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { RefusedPayments } from "./RefusedPayments.ts"

const id = TransactionId.make(`0x${"ab".repeat(32)}`)

describe("a payment that the exchange refused", () => {
  it("is asked about again after 15 s, and after 10 s where its words are unknown, as whoever follows it does", () => {
    for (const [said, rest] of [["unfunded", 15_000], ["accepted", 15_000], ["refused", 10_000]] as const) {
      const refused = new RefusedPayments()
      refused.note(id, said, 1_000)
      assert.strictEqual(refused.saidOf(id, 1_000 + rest - 1), said)
      assert.isUndefined(refused.saidOf(id, 1_000 + rest))
    }
  })
})
