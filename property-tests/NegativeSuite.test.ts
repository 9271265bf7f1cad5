/** Every negative case on every family, with real signatures: what is refused, and why. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Hex32 } from "../src/domain/encoding/Hex.ts"
import { accountOfKey, isSignedBy, signHash } from "../src/domain/encoding/Signature.ts"
import { type VmFamily, vmFamilies } from "../src/domain/chain/VmFamily.ts"
import { judgeDeposits } from "../src/domain/evidence/judges/JudgeDeposits.ts"
import { judgeFill } from "../src/domain/evidence/judges/JudgeFill.ts"
import { judgeRefund } from "../src/domain/evidence/judges/JudgeRefund.ts"
import { judgeWithdrawal } from "../src/domain/evidence/withdrawal/JudgeWithdrawal.ts"
import { chainOf, type Signer } from "./EvidenceChains.ts"
import { makeWithdrawalWorld, withdrawalCases, withdrawalVerdict } from "./EvidenceWithdrawals.ts"
import { makeWorld, type WorldPlan } from "./EvidenceWorld.ts"
import { negativeCases, verdictOf, worldOf } from "./NegativeSuite.ts"

const key = Hex32.make(`0x${"17".repeat(32)}`)
const solver: Signer = {
  account: Result.getOrThrow(accountOfKey(key)),
  sign: (hash) => Result.getOrThrow(signHash(hash, key))
}
const judges = { judgeDeposits, judgeFill, judgeRefund }
const context = { chainOf, network: "mainnet", isSignedBy } as const

/** Two inputs with amounts beyond 2^53, two outputs to one recipient, and calls on chains with routers. */
const plan = (family: VmFamily): WorldPlan => ({
  origin: family,
  destination: family,
  inputs: [
    {
      requested: 10n ** 18n,
      paid: 10n ** 18n + 1n,
      weight: 1n,
      currency: 0,
      refundMinimum: 10n ** 17n,
      refundTo: undefined
    },
    { requested: 5_000_000n, paid: 4_999_999n, weight: 3n, currency: 1, refundMinimum: 4_000_000n, refundTo: 30 }
  ],
  payments: [
    { recipient: 40, currency: 0, minimum: 10n ** 18n - 1n, extra: 2n },
    { recipient: 40, currency: 0, minimum: 1n, extra: 0n },
    { recipient: 41, currency: 1, minimum: 77n, extra: 0n }
  ],
  calls: 2,
  fees: 1,
  together: false
})

for (const family of vmFamilies) {
  describe(`never attested on ${family}`, () => {
    for (const negative of negativeCases) {
      const right = worldOf(negative, plan(family), (fitting) => makeWorld(fitting, solver))
      if (right === undefined) continue
      it(`${negative.of}: ${negative.name}`, () => {
        assert.isTrue(Result.isSuccess(verdictOf(judges, context, negative.of, right)))
        const verdict = verdictOf(judges, context, negative.of, negative.spoil(right))
        assert.strictEqual(Result.isFailure(verdict) ? verdict.failure.reason : "accepted", negative.refusal)
      })
    }
    for (const each of withdrawalCases) {
      if (each.appliesTo?.(family) === false) continue
      it(`withdrawal: ${each.name}`, () => {
        assert.strictEqual(
          withdrawalVerdict(judgeWithdrawal, each.spoil(makeWithdrawalWorld(family))),
          each.verdict(family)
        )
      })
    }
  })
}
