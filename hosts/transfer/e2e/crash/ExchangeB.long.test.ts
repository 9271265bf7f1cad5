import { describe, it } from "@effect/vitest"
import { killOnExchangeB, killOnFaultyExchangeB } from "./testing/ExchangeBKills.ts"
import { killEverywhereOnExchangeB } from "./testing/ExchangeBScenarios.ts"

describe("a host that is killed around a payment on exchange B", () => {
  it.live("has paid or refunded exactly once after the restart, at each place where a second payment could arise", () =>
    killOnExchangeB(() => true))

  it.live("has paid once when it was killed while the exchange answered nothing, or took nothing", () =>
    killOnFaultyExchangeB)

  it.live(
    "has paid or refunded each deposit exactly once, to the unit, killed before and after every write and every send",
    () => killEverywhereOnExchangeB,
    1_800_000
  )
})
