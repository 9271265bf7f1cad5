import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { balanceOf, emptyLedger, post } from "../src/domain/ledger/Ledger.ts"
import { ledgerLaws } from "./Ledger.ts"

describe("laws", () => {
  for (
    const { check, name } of ledgerLaws({
      empty: emptyLedger,
      post,
      balanceOf,
      transactions: (ledger) => ledger.transactions
    })
  ) {
    it(name, () => check(inputs(1_000, 20_000)))
  }
})
