import { describe, it } from "@effect/vitest"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { killOnExchangeA } from "../crash/testing/ExchangeAKills.ts"

/** Between signing and sending, where a second payment could arise. `ExchangeA.long` kills at every such place. */
describe("a host that is killed around a payment on exchange A", () => {
  it.live(
    "has paid or refunded exactly once after the restart",
    () => killOnExchangeA((place, away) => place.startsWith("Payments.signOnce") && away === 0),
    shows("exchangea-vm", "refunds")
  )
})
