import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { withAnotherLeaf } from "../../../property-tests/EvidenceDamage.ts"
import { standInSigner, word } from "../../../property-tests/EvidenceChains.ts"
import { anyPlan } from "../../../property-tests/EvidencePlans.ts"
import { makeWorld } from "../../../property-tests/EvidenceWorld.ts"
import { makeWithdrawalWorld } from "../../../property-tests/EvidenceWithdrawals.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { vmFamilies } from "../chain/VmFamily.ts"
import { sameObservation, sameWithdrawal } from "./SameEvidence.ts"
import type { Observation, TransactionEvidence } from "./TransactionEvidence.ts"

const evidence = anyPlan.map((plan) => {
  const seen = makeWorld(plan, standInSigner(1)).observations
  return seen.find((each) =>
    each._tag === "Transaction" && each.payments.length + each.deposits.length > 0
  ) as TransactionEvidence
})

const pending = (of: TransactionEvidence, confirmations: number): Observation => ({
  ...of,
  finality: { _tag: "Pending", confirmations, needed: 10, secondsLeft: 0 }
})

describe("evidence of two endpoints", () => {
  it("is equal when every member is, in any object", () => {
    fc.assert(
      fc.property(evidence, (each) => assert.isTrue(sameObservation(each, structuredClone(each)))),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("is not equal when any member of a final fact differs", () => {
    fc.assert(
      fc.property(evidence, fc.nat(), (each, leaf) => {
        const other = withAnotherLeaf(each, leaf)
        assert.isFalse(sameObservation(each, other))
        assert.isFalse(sameObservation(other, each))
      }),
      { numRuns: inputs(2_000, 40_000) }
    )
  })

  it("differs when a payment is missing or in another place of the list", () => {
    fc.assert(
      fc.property(evidence, (each) => {
        assert.isFalse(sameObservation(each, { ...each, orderIds: [...each.orderIds, word(1)] }))
        assert.isFalse(
          sameObservation(each, {
            ...each,
            payments: [...each.payments, ...each.payments, { ...each.payments[0]!, amount: 1n }]
          })
        )
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("does not disagree while nothing is final, and does when only one side calls it final", () => {
    fc.assert(
      fc.property(evidence, (each) => {
        const absent: Observation = { _tag: "Absent", chain: each.chain, transactionId: each.transactionId }
        assert.isTrue(sameObservation(pending(each, 1), pending(each, 2)))
        assert.isTrue(sameObservation(pending(each, 1), absent))
        assert.isFalse(sameObservation(each, absent))
        assert.isFalse(sameObservation(pending(each, 9), each))
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("of a withdrawal is compared member by member", () => {
    for (const family of vmFamilies) {
      const { evidence } = makeWithdrawalWorld(family)
      assert.isTrue(sameWithdrawal(evidence, structuredClone(evidence)))
      for (let leaf = 0; leaf < 4; leaf++) {
        assert.isFalse(sameWithdrawal(evidence, withAnotherLeaf(evidence, leaf)))
      }
      assert.isFalse(sameWithdrawal(evidence, { ...evidence, state: { _tag: "SpentOtherwise" } }))
    }
  })
})
