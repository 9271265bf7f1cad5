import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { judgeDeposits } from "../src/domain/evidence/JudgeDeposits.ts"
import { judgeFill } from "../src/domain/evidence/JudgeFill.ts"
import { judgeRefund } from "../src/domain/evidence/JudgeRefund.ts"
import { judgeLaws } from "./Evidence.ts"

describe("judges", () => {
  for (const { check, name } of judgeLaws({ judgeDeposits, judgeFill, judgeRefund })) {
    it(name, () => check(inputs(1_500, 30_000)))
  }
})
