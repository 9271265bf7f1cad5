/**
 * How often a quote asks the Tron node, of users and recipients that it has not seen: once for what its answer depends
 * on, and never for what quotes of the same moment have asked.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { quote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { fromTron, quoteTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const SOME = 50_000_000n

const trial = "triggerconstantcontract"

describe("a quote with Tron", () => {
  it.live("asks the node only for what differs from the quotes of the same moment", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha }, fresh, other, tron, url, user, wallet } = yield* startFixture(startTronNetwork, {
        // So long that nothing is forgotten while this runs.
        settings: { FACTS_MAX_AGE_MS: "10000" }
      })
      const asked: Array<string> = []
      yield* tron.setFault({
        kind: "lie",
        methods: ["/wallet/getaccount", `/wallet/${trial}`, "/wallet/getchainparameters"],
        tell: (truth, method) => {
          asked.push(method.slice("/wallet/".length))
          return truth
        }
      })
      const askedBy = <A, E, R>(quoting: Effect.Effect<A, E, R>) =>
        Effect.map(quoting, () => asked.splice(0).toSorted())
      const to = (index: number, currency: string) =>
        quote(url, toTron(user(index), newTronAddress(), alpha.chainId, currency))
      const from = (sender: typeof wallet, currency: string) =>
        quoteTron(url, fromTron(sender, fresh(), [alpha.chainId, NATIVE], [currency, SOME]))

      // What is the same for all: prices, and what the solver has.
      yield* to(0, TRX)
      yield* to(0, usdt)
      asked.length = 0

      // Whether the recipient exists.
      assert.deepStrictEqual(yield* askedBy(to(1, TRX)), ["getaccount"])
      // What paying the recipient takes.
      assert.deepStrictEqual(yield* askedBy(to(2, usdt)), [trial])
      // What the user has, for the deposit and for a refund alike; and the deposit.
      assert.deepStrictEqual(yield* askedBy(from(wallet, TRX)), ["getaccount", trial])
      // Balance and allowance, the approval, the transfer of the deposit, and that of a refund.
      assert.deepStrictEqual(yield* askedBy(from(other, usdt)), [trial, trial, trial, trial, trial])
    })))
})
