import { describe, it } from "@effect/vitest"
import { killOnExchangeA, killOnFaultyExchangeA } from "./testing/ExchangeAKills.ts"
import { killEverywhereOnExchangeA } from "./testing/ExchangeAScenarios.ts"

describe("a host that is killed around a payment on exchange A", () => {
  it.live("has paid or refunded exactly once after the restart, at each place where a second payment could arise", () =>
    killOnExchangeA(() => true))

  it.live("has paid once when it was killed while the exchange answered nothing, or took nothing", () =>
    killOnFaultyExchangeA)

  it.live(
    "has paid or refunded each deposit exactly once, to the unit, killed before and after every write and every send",
    () => killEverywhereOnExchangeA,
    1_800_000
  )
})
