import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { judgeAddressDeposit, settleReprice } from "../src/domain/deposit-address/JudgeAddressDeposit.ts"
import { openOutcomeLaws, strictOutcomeLaws } from "./StrictOutcomes.ts"

describe("laws", () => {
  for (
    const { check, name } of [
      ...strictOutcomeLaws(judgeAddressDeposit, settleReprice),
      ...openOutcomeLaws(judgeAddressDeposit, settleReprice)
    ]
  ) {
    it(name, () => check(inputs(5_000, 100_000)))
  }
})
