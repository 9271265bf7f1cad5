import { describe, it } from "@effect/vitest"
import { killOnBitcoin } from "../crash/testing/BitcoinKills.ts"

/** Between signing and sending, where a second payment could arise. `Bitcoin.long` kills at every such place. */
describe("a host that is killed around a payment on Bitcoin", () => {
  it.live("has paid exactly once after the restart: signed and stored, and not sent", () =>
    killOnBitcoin((place) => place === "Payments.signOnce fill:after"))
})
