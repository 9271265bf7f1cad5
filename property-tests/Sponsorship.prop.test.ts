import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { splitActual } from "../src/domain/sponsorship/SplitActual.ts"
import { splitSponsorship } from "../src/domain/sponsorship/SplitSponsorship.ts"
import { sponsorshipLaws } from "./Sponsorship.ts"
import { actualSplitLaws } from "./SponsorshipActual.ts"

describe("laws", () => {
  for (
    const { check, name } of [...sponsorshipLaws(splitSponsorship), ...actualSplitLaws(splitSponsorship, splitActual)]
  ) {
    it(name, () => check(inputs(4_000, 100_000)))
  }
})
