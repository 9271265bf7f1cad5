/** What an operator sees of Bitcoin: the doctor compares store and chain, and a low inventory is an alarm. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther } from "viem"
import { bitcoinChainId, bitcoinSlug } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { signed } from "../../../localnet/nodes/bitcoin/node/Payment.ts"
import { BTC, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, quote } from "../../testing/Client.ts"
import { alarms, eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { findingsOf, runDoctor } from "../../testing/RunOperation.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

describe("an operator of a service with Bitcoin", () => {
  it.live("is told what the chain shows and the store does not know, nothing of what waits, and of a low inventory", () =>
    Effect.scoped(Effect.gen(function*() {
      const { bitcoin, bitcoinSolver, chains, environment, key, startInstance, user } = yield* startBitcoinNetwork
      const { output, url } = yield* startInstance()
      const doctor = runDoctor(environment)
      const recipient = keyOf(new Uint8Array(randomBytes(32)))
      const quoted = yield* quote(url, {
        user: user(0),
        recipient: recipient.address,
        originChainId: chains.alpha.chainId,
        destinationChainId: bitcoinChainId,
        originCurrency: "0x0000000000000000000000000000000000000000",
        destinationCurrency: BTC,
        amount: `${parseEther("0.5")}`,
        tradeType: "EXACT_INPUT"
      })
      yield* execute(chains.alpha, key(0), quoted)
      const paid = Effect.sync(() => bitcoin.chain.ledger.idsOf(recipient.address))
      yield* eventually("the fill waits for a block", paid, (ids) => ids.length === 1)
      const during = yield* doctor
      assert.strictEqual(during.code, 0, `${during.out}${during.error}`)
      yield* Effect.raceFirst(
        Effect.andThen(
          endedAnywhere(url, quoted),
          eventually("the deposit is closed", openDeposits(environment), (open) => open === 0)
        ),
        slowingBlocks(bitcoin.mine())
      )
      const after = yield* doctor
      assert.strictEqual(after.code, 0, `${after.out}${after.error}`)
      assert.strictEqual(yield* alarms(url, "inventory-low"), 0)

      // Somebody who has the key takes all but a coin.
      const coins = bitcoin.chain.ledger.coinsOf(bitcoinSolver.address).slice(1)
        .map(({ id, index, value }) => ({ id, index, value, key: bitcoinSolver }))
      const sum = coins.reduce((total, { value }) => total + value, 0n)
      const taken = signed({ inputs: coins, outputs: [{ script: recipient.script, amount: sum - 10_000n }] })
      yield* Effect.promise(() => bitcoin.chain.submit(taken.toBuffer()))
      yield* bitcoin.mine()
      const told = yield* eventually("the doctor reports it", doctor, (ran) => findingsOf(ran).length > 0)
      assert.strictEqual(told.code, 1, told.error)
      assert.deepStrictEqual(findingsOf(told), [["payment-unrecorded", bitcoinSlug]])
      yield* eventually("it is an alarm", alarms(url, "inventory-low"), (count) => count >= 1)
      assert.include(output(), `BTC of the solver's account on ${bitcoinSlug} is low`)
    })))
})
