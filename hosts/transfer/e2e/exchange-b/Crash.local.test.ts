import { describe, it } from "@effect/vitest"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { killOnExchangeB } from "../crash/testing/ExchangeBKills.ts"

/** Between signing and sending, where a second payment could arise. `ExchangeB.long` kills at every such place. */
describe("a host that is killed around a payment on exchange B", () => {
  it.live(
    "has paid or refunded exactly once after the restart",
    () => killOnExchangeB((place, away) => place.startsWith("Payments.signOnce") && away === 0),
    shows("exchangeb-vm", "refunds")
  )
})
