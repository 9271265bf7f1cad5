/** When a request is overdue. That every state has a time limit is a law (property-tests/Status.ts). */
import { assert, it } from "@effect/vitest"
import { ChainId } from "../chain/ChainId.ts"
import { alpha, beta } from "../quote/testing/Chains.ts"
import { boundOf, endsBy, isOverdue, overdueAmong, UNPAID_SECONDS } from "./Bounds.ts"
import { unendedStatuses } from "./Status.ts"

const times = { originFinality: 900, destinationFinality: 60 }

it("a state is overdue only past its bound, a terminal one never", () => {
  const since = 5_000
  assert.isFalse(isOverdue("pending", since, since + 1_500_000, times))
  assert.isTrue(isOverdue("pending", since, since + 1_500_001, times))
  assert.isFalse(isOverdue("success", since, Number.MAX_SAFE_INTEGER, times))
})

it("of several requests those are overdue that passed the bound of their own chains; one on an unknown chain never is", () => {
  const request = (originChainId: ChainId, status: "pending" | "submitted", since: number) => ({
    status,
    since,
    originChainId,
    destinationChainId: beta.id
  })
  const bound =
    (boundOf("pending", { originFinality: alpha.finality.seconds, destinationFinality: beta.finality.seconds }) ?? 0) *
    1000
  const [late, inTime, unknown] = [
    request(alpha.id, "pending", 0),
    request(alpha.id, "pending", 1),
    request(ChainId.make(99), "pending", 0)
  ]
  assert.deepStrictEqual(overdueAmong([late, inTime, unknown], [alpha, beta], bound + 1), [late])
})

it("the states that have a deposit and no end are those of the store's index", () => {
  assert.deepStrictEqual(unendedStatuses, ["depositing", "pending", "submitted", "delayed"])
})

it("the bounds follow the finality of the chain that the state waits for", () => {
  assert.deepStrictEqual(
    (["waiting", "depositing", "pending", "submitted", "delayed"] as const).map((status) => boundOf(status, times)),
    [UNPAID_SECONDS, 1500, 1500, 660, 21_600]
  )
  assert.strictEqual(endsBy(1_000, times), 1_000 + (1800 + 60 + 21_600 + 2400) * 1000)
})
