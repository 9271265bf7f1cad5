/** Where a payment of many coins and forms stands: found in few requests, however often it was replaced. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { signed } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import type { Spent } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import { readBtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import type { Explorer } from "../observe/explorer/Explorer.ts"
import { BitcoinEndpoints, BitcoinRpc, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { FINAL_AFTER, startLocalBitcoin } from "../testing/LocalBitcoin.ts"
import { readOutcome } from "./Landing.ts"
import { transactionIdOf } from "./SignSpending.ts"

const COINS = 100
const FORMS = 12

/** A payment of a hundred coins in a dozen forms, none of them sent, and what another transaction does to its coins. */
const outcomeOf = (taken: "by one" | "by none" | "by one for each", isSilent = false) =>
  Effect.scoped(Effect.gen(function*() {
    const { bitcoin, chain, coin, mine, other, url, user } = yield* startLocalBitcoin
    const funding = yield* coin(other)
    const send = (inputs: ReadonlyArray<Spent>, to: typeof user, outputs: number, fee: bigint) => {
      const amount = (inputs.reduce((sum, { value }) => sum + value, 0n) - fee) / BigInt(outputs)
      const transaction = signed({
        inputs,
        outputs: Array.from({ length: outputs }, () => ({ script: to.script, amount }))
      })
      const bytes = new Uint8Array(transaction.toBuffer())
      const read = readBtcTransaction(bytes) ?? assert.fail("not a transaction")
      const coins = read.outputs.map((output, index): Spent => ({ id: read.id, index, value: output.amount, key: to }))
      return { bytes, read, coins, submit: Effect.promise(() => chain.submit(transaction.toBuffer())) }
    }
    const fan = send([funding], user, COINS, 100_000n)
    const forms = Array.from({ length: FORMS }, (_, nth) => send(fan.coins, other, 2, 100_000n + 1_000n * BigInt(nth)))
    const spenders = new Map<string, string>()
    // What made them is in no block otherwise.
    if (taken !== "by none") {
      yield* fan.submit
      const takers = taken === "by one" ? [fan.coins] : fan.coins.map((each) => [each])
      for (const coins of takers) {
        const taker = send(coins, user, 1, 20_000n)
        yield* taker.submit
        for (const { id, index } of coins) spenders.set(coinName({ transactionId: id, index }), taker.read.id)
      }
      yield* mine(FINAL_AFTER + 2)
    }
    let [requests, hints] = [0, 0]
    const explorer: Pick<Explorer, "spenderOf"> = {
      spenderOf: (asked) =>
        Effect.suspend(() => {
          hints += 1
          return isSilent ? Effect.fail("timeout" as const) : Effect.succeed(spenders.get(coinName(asked)))
        })
    }
    const variants = forms.map(({ bytes, read }) => ({
      form: { ...read, bytes, amounts: fan.coins.map(({ value }) => value) },
      ancestors: [],
      transactionId: transactionIdOf(read.id)
    }))
    const outcome = yield* Effect.flatMap(
      BitcoinRpc,
      (rpc) =>
        rpc.call(bitcoin, "payment outcome", (client) =>
          client.read((core, deadline) => {
            const answers: typeof core.answers = (calls, milliseconds) => {
              requests += 1
              return core.answers(calls, milliseconds)
            }
            return readOutcome(bitcoin, explorer, variants)({ ...core, answers }, deadline)
          }))
    ).pipe(
      Effect.provide(
        Layer.provide(layerRpc, Layer.succeed(BitcoinEndpoints, { urls: new Map([[bitcoin.id, [url]]]) }))
      )
    )
    return { outcome: outcome._tag, requests, hints }
  }))

describe("a payment of a hundred coins in twelve forms", () => {
  // SECURITY: an endpoint has some seconds for all requests of a read, which come one after the other.
  const FEW = 20

  it.live("is known to be dead after few requests when one transaction has taken its coins", () =>
    Effect.gen(function*() {
      const { hints, outcome, requests } = yield* outcomeOf("by one")
      assert.strictEqual(outcome, "Superseded")
      assert.isAtMost(requests, FEW)
      assert.isAtMost(hints, 8)
    }))

  it.live("is so when another transaction has taken each of its coins", () =>
    Effect.gen(function*() {
      const { hints, outcome, requests } = yield* outcomeOf("by one for each")
      assert.strictEqual(outcome, "Superseded")
      assert.isAtMost(requests, 4 * FEW)
      assert.isAtMost(hints, COINS)
    }))

  it.live("is not dead while nobody knows who took them: each of them is asked about once", () =>
    Effect.gen(function*() {
      const { hints, outcome, requests } = yield* outcomeOf("by none")
      assert.strictEqual(outcome, "Unseen")
      assert.isAtMost(requests, FEW)
      assert.strictEqual(hints, COINS)
    }))

  it.live("is not asked about on while the explorer is silent: each question would take seconds", () =>
    Effect.gen(function*() {
      const { hints, outcome } = yield* outcomeOf("by one", true)
      assert.deepStrictEqual([outcome, hints], ["Unseen", 8])
    }))
})
