import { describe, it } from "@effect/vitest"
import { killOnBitcoin } from "./testing/BitcoinKills.ts"

describe("a host that is killed around a payment or a sweep on Bitcoin", () => {
  it.live("has paid or refunded exactly once after the restart, at each place where a second payment could arise", () =>
    killOnBitcoin(() => true))
})
