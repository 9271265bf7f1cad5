import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { priceExactInput, priceExactOutput } from "../src/domain/quote/pricing/Pricing.ts"
import { pricingLaws } from "./Pricing.ts"

describe("laws", () => {
  for (const { check, name } of pricingLaws({ exactInput: priceExactInput, exactOutput: priceExactOutput })) {
    it(name, () => check(inputs(3_000, 60_000)))
  }
})
