import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { boundOf, endsBy } from "../src/domain/transfer/Bounds.ts"
import { canMove, isTerminal } from "../src/domain/transfer/Status.ts"
import { statusLaws } from "./Status.ts"

describe("laws", () => {
  for (const { check, name } of statusLaws({ canMove, isTerminal, boundOf, endsBy })) {
    it(name, () => check(inputs(2_000, 20_000)))
  }
})
