/** How wallets on the simulated Bitcoin chain go on until nothing can change any more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { genesis, headOf, nextBlock, submit } from "./CoinChain.ts"
import type { Mining } from "./CoinChain.ts"
import { isSigned, signedBy } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { isSettled, makeCoinWallet, payUntilSettled, sendUntilSettled } from "./CoinWallet.ts"
import { accounts, FINAL_AFTER, USUAL_RATE } from "./Terms.ts"

const anything: Mining = { takes: () => true, room: 100, olderForms: false }
const [key, other] = accounts

/** A chain on which the first account has two coins, and blocks are made when the test says so. */
const makeChain = () => {
  if (key === undefined || other === undefined) return assert.fail("no accounts")
  const held = { script: key.script, amount: 1_000_000n }
  let state = genesis("of a test", 0, [held, held], USUAL_RATE)
  const chain: BitcoinChain = {
    state: () => state,
    before: () => state,
    isSigned,
    send: (bytes) =>
      Result.map(submit(state, bytes, isSigned), (next) => {
        state = next
      }),
    live: Effect.never
  }
  const mine = (blocks: number) => {
    for (let nth = 0; nth < blocks; nth += 1) state = nextBlock(state, 10 * nth, anything)
  }
  const pay = (
    coin: { readonly transactionId: string; readonly index: number; readonly amount: bigint },
    fee: bigint
  ) =>
    signedBy(key, [coin], [
      { script: other.script, amount: 300_000n },
      { script: key.script, amount: coin.amount - 300_000n - fee }
    ])
  const [coin = assert.fail("no coins")] = headOf(state).coins.values()
  return { chain, coin, key, mine, pay, send: ({ bytes }: CoinTransaction) => chain.send(bytes) }
}

describe("a wallet on the simulated Bitcoin chain", () => {
  it.effect("gives up what spends the change of a payment whose coins something else has spent for good", () =>
    Effect.gen(function*() {
      const { chain, coin, key, mine, pay, send } = makeChain()
      const first = pay(coin, 500n)
      const child = pay({ transactionId: first.id, index: 1, amount: 699_500n }, 500n)
      const ending = yield* Effect.forkChild(sendUntilSettled(chain, child))
      assert.isTrue(Result.isSuccess(send(first)))
      assert.isTrue(Result.isSuccess(send(child)))
      assert.isTrue(Result.isSuccess(send(makeCoinWallet(chain).takeBack(key, first))))
      mine(FINAL_AFTER)
      assert.isFalse(isSettled(chain.state(), child), "a reorg can still bring its parent back")
      mine(1)
      assert.isTrue(isSettled(chain.state(), child))
      yield* TestClock.adjust("1 minute")
      assert.isDefined(ending.pollUnsafe())
    }))

  it.effect("offers more for what blocks do not take, and pays the same once", () =>
    Effect.gen(function*() {
      const { chain, coin, key, mine, pay } = makeChain()
      // One satoshi a virtual byte is relayed, and blocks take two.
      const cheap = pay(coin, 141n)
      const paying = yield* Effect.forkChild(payUntilSettled(chain, makeCoinWallet(chain), key, cheap))
      for (let minute = 0; minute < 30; minute += 1) {
        yield* TestClock.adjust("1 minute")
        mine(1)
      }
      assert.isDefined(paying.pollUnsafe(), "it is settled")
      const { coins, places } = headOf(chain.state())
      assert.isFalse(places.has(cheap.id))
      assert.deepStrictEqual(
        [...coins.values()].flatMap(({ amount }) => amount === 300_000n ? [amount] : []),
        [300_000n]
      )
    }))
})
