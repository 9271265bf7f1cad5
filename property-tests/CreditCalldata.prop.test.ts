import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { decodeCreditCalldata, encodeCreditCalldata } from "../src/domain/ledger/CreditCalldata.ts"
import { creditCalldataLaws } from "./CreditCalldata.ts"

describe("laws", () => {
  for (const { check, name } of creditCalldataLaws({ encode: encodeCreditCalldata, decode: decodeCreditCalldata })) {
    it(name, () => check(inputs(20_000, 1_000_000)))
  }
})
