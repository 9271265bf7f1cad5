/** What an operator sees of exchange A: the doctor compares store and exchange, and a low inventory is an alarm. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { writeDecimal } from "../../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { exchangeASlug } from "../../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { exchangeAAddressFor, payAddress } from "../../testing/ExchangeAAddressed.ts"
import { authorize, deposit, fromExchangeA, quoteExchangeA } from "../../testing/ExchangeAClient.ts"
import { startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { alarms, eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { heldOnExchange, PERPS, SPOT, toExchangeA } from "../../testing/PaidOnExchangeA.ts"
import { findingsOf, runDoctor } from "../../testing/RunOperation.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const USD = 100_000_000n

describe("an operator of a service with exchange A", () => {
  it.live("is told what the exchange shows and the store does not know, nothing of what waits, and of a low inventory", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startExchangeANetwork
      const { book, chains, environment, exchangeUrl, fresh, misbehave, startInstance, wallet } = network
      const { output, url } = yield* startInstance()
      const doctor = runDoctor(environment)
      const wellAt = Effect.fnUntraced(function*(when: string) {
        const ran = yield* doctor
        assert.deepStrictEqual([ran.code, findingsOf(ran)], [0, []], `${when}: ${ran.error}`)
      })
      const there = yield* Effect.forEach(
        [PERPS, SPOT],
        (currency, index) => toExchangeA(network, url, [currency, fresh()], index)
      )
      const body = fromExchangeA(wallet, fresh(), [chains.alpha.chainId, NATIVE], [PERPS, 100n * USD], {
        refundTo: wallet.address
      })
      const [back, addressed] = [yield* quoteExchangeA(url, body), yield* exchangeAAddressFor(url, body)]
      // Signed, and the exchange takes nothing.
      yield* misbehave({ kind: "away", questions: ["exchange"] })
      yield* Effect.forEach(there, ({ pay }) => pay)
      yield* eventually("they are deposits", openDeposits(environment), (open) => open === there.length)
      yield* wellAt("while payments wait")
      yield* misbehave(undefined)
      assert.strictEqual((yield* authorize(url, wallet, back)).status, 200)
      assert.include((yield* deposit(exchangeUrl, wallet, back)).text, `"ok"`)
      yield* payAddress(exchangeUrl, wallet, addressed.quoted, { amount: 100n * USD, dex: "" })
      for (const quoted of [...there.map((each) => each.quoted), back, addressed.quoted]) {
        assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      }
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      // Sweep, residue and fills are all known.
      yield* wellAt("when all is done")
      assert.strictEqual(yield* alarms(url, "inventory-low"), 0)

      // Somebody who has the key takes almost everything.
      const thief = privateKeyToAccount(`0x${environment["EXCHANGEA_SOLVER_PRIVATE_KEY"]?.slice(2)}`)
      const taken = heldOnExchange(book, PERPS, thief.address) - 9_000n * USD
      const answer = yield* deposit(exchangeUrl, thief, back, {
        destination: wallet.address.toLowerCase(),
        amount: writeDecimal(taken, 8),
        nonce: Date.now()
      })
      assert.include(answer.text, `"ok"`)
      // The doctor compares up to where the exchange's clock is final.
      const told = yield* eventually("the doctor reports it", doctor, (ran) => findingsOf(ran).length > 0)
      assert.strictEqual(told.code, 1, told.error)
      assert.deepStrictEqual(findingsOf(told), [["payment-unrecorded", exchangeASlug]])
      yield* eventually("it is an alarm", alarms(url, "inventory-low"), (count) => count >= 1)
      yield* eventually(
        "the log says so",
        Effect.sync(output),
        (text) => text.includes(`USDC of the solver's account on ${exchangeASlug} is low`)
      )

      // EXCHANGEA-36: the account that pays here, and not the one of the EVM chains.
      book.setMode(thief.address, "unifiedAccount")
      assert.include(
        (yield* doctor).out,
        `"entry":"solver mode","subject":"${thief.address.toLowerCase()}","configured":"separate balances","found":"unifiedAccount, which`
      )
    })))
})
