/**
 * Two workers over one PostgreSQL pay on exchange A at once, from one account: the exchange counts no payments of it, and
 * each order is paid once, also when one worker is killed and the other takes its work over.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { readStored } from "../../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { heldOnExchange, PERPS, SPOT, toExchangeA } from "../../testing/PaidOnExchangeA.ts"
import { payByTwoWorkers } from "../../testing/TwoWorkers.ts"

const programs = requirePostgres()

const TRANSFERS = 14

describe.skipIf(programs === undefined)("two workers with exchange A over one PostgreSQL", () => {
  it.live("pay each order once on perps and spot, also when one of them is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startExchangeANetwork
      const { book, environment, fresh, misbehave } = network
      // What is submitted is executed at once. So the exchange takes nothing until one of the workers is killed.
      yield* misbehave({ kind: "away", questions: ["exchange"] })
      const { all, payments } = yield* payByTwoWorkers({
        environment,
        programs: programs ?? { initdb: "", pgCtl: "" },
        transfers: TRANSFERS,
        begin: (url, index) => {
          const recipient = fresh()
          book.credit(recipient, "", 1n)
          return toExchangeA(network, url, [index % 2 === 0 ? PERPS : SPOT, recipient], index)
        },
        pay: ({ pay }) => pay,
        mining: Effect.andThen(misbehave(undefined), Effect.never)
      })
      for (const { amount, currency, recipient } of all) {
        assert.strictEqual(heldOnExchange(book, currency, recipient) - (currency === PERPS ? 1n : 0n), amount)
      }
      const signed = payments.map((raw) => readStored(raw) ?? assert.fail("unread"))
      assert.lengthOf(signed, TRANSFERS)
      const nonces = signed.map(({ transfer: { nonce } }) => `${nonce}`).toSorted()
      assert.lengthOf(new Set(nonces), TRANSFERS)
      const solver = privateKeyToAddress(`0x${environment["EXCHANGEA_SOLVER_PRIVATE_KEY"]?.slice(2)}`)
      const sent = book.ofAccount(solver).map(({ action, error }) => {
        assert.isNull(error)
        return "nonce" in action ? String(action.nonce) : ""
      })
      assert.deepStrictEqual(sent.toSorted(), nonces)
    })))
})
