import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { judgeDeposits } from "../src/domain/evidence/judges/JudgeDeposits.ts"
import { judgeFill } from "../src/domain/evidence/judges/JudgeFill.ts"
import { judgeRefund } from "../src/domain/evidence/judges/JudgeRefund.ts"
import { judgeWithdrawal } from "../src/domain/evidence/withdrawal/JudgeWithdrawal.ts"
import { judgeLaws } from "./Evidence.ts"
import { withdrawalLaws } from "./EvidenceWithdrawals.ts"

describe("judges", () => {
  for (const { check, name } of judgeLaws({ judgeDeposits, judgeFill, judgeRefund })) {
    it(name, () => check(inputs(1_000, 30_000)))
  }
  for (const { check, name } of withdrawalLaws(judgeWithdrawal)) {
    it(name, () => check(inputs(1_000, 30_000)))
  }
})
