/**
 * Two workers over one PostgreSQL pay on exchange B at once, from one account with three API keys: each key counts its
 * own payments without a gap, and each order is paid once, also when one worker is killed and the other takes its work
 * over.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { startExchangeBNetwork } from "../../testing/ExchangeBNetwork.ts"
import { heldOnExchangeB, openOn, PERPS, SPOT, toExchangeB, transfersTo } from "../../testing/PaidOnExchangeB.ts"
import { payByTwoWorkers } from "../../testing/TwoWorkers.ts"

const programs = requirePostgres()

const TRANSFERS = 14

const decodeSigned = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ ApiKeyIndex: Schema.Int, Nonce: Schema.Int }))
)

describe.skipIf(programs === undefined)("two workers with exchange B over one PostgreSQL", () => {
  it.live("pay each order once by all API keys of the account, also when one of them is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startExchangeBNetwork
      const { environment, misbehave, state } = network
      // What is submitted is executed at once. So the exchange takes nothing until one of the workers is killed.
      yield* misbehave({ kind: "away", questions: ["api/v1/sendTx"] })
      const { all, payments } = yield* payByTwoWorkers({
        environment,
        programs: programs ?? { initdb: "", pgCtl: "" },
        transfers: TRANSFERS,
        begin: (url, index) => toExchangeB(network, url, [index % 2 === 0 ? PERPS : SPOT, openOn(state)], index),
        pay: ({ pay }) => pay,
        mining: Effect.andThen(misbehave(undefined), Effect.never)
      })
      for (const { amount, currency, recipient } of all) {
        assert.strictEqual(heldOnExchangeB(state, currency, recipient), amount)
        assert.strictEqual(transfersTo(state, recipient), 1)
      }
      const signed = payments.map((raw) => decodeSigned(raw))
      assert.lengthOf(signed, TRANSFERS)
      const byKey = Map.groupBy(signed, ({ ApiKeyIndex }) => ApiKeyIndex)
      assert.sameMembers([...byKey.keys()], [4, 5, 6])
      for (const [apiKey, of] of byKey) {
        const nonces = of.map(({ Nonce }) => Nonce).toSorted((one, other) => one - other)
        assert.deepStrictEqual(nonces, nonces.map((_, index) => index), `API key ${apiKey}`)
      }
    })))
})
