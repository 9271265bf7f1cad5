/** When a request is overdue; that every state has a bound is a law (property-tests/Status.ts). */
import { assert, it } from "@effect/vitest"
import { boundOf, endsBy, isOverdue, UNPAID_SECONDS } from "./Bounds.ts"

const times = { originFinality: 900, destinationFinality: 60 }

it("a state is overdue only past its bound, a terminal one never", () => {
  const since = 5_000
  assert.isFalse(isOverdue("pending", since, since + 1_500_000, times))
  assert.isTrue(isOverdue("pending", since, since + 1_500_001, times))
  assert.isFalse(isOverdue("success", since, Number.MAX_SAFE_INTEGER, times))
})

it("the bounds follow the finality of the chain that is waited for", () => {
  assert.deepStrictEqual(
    (["waiting", "depositing", "pending", "submitted", "delayed"] as const).map((status) => boundOf(status, times)),
    [UNPAID_SECONDS, 1500, 1500, 660, 21_600]
  )
  assert.strictEqual(endsBy(1_000, times), 1_000 + (1800 + 60 + 21_600 + 2400) * 1000)
})
