/** What an operator sees of Tron: the doctor compares store and chain, and a low inventory is an alarm. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { tronSlug } from "../../../localnet/nodes/tron/TronChain.ts"
import { execute, quote } from "../../testing/Client.ts"
import { alarms, eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { findingsOf, runDoctor } from "../../testing/RunOperation.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { carriedOut, fromTron, quoteTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const ONE = 1_000_000n

describe("an operator of a service with Tron", () => {
  it.live("is told what the chain shows and the store does not know, nothing of what waits, and of a low inventory", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startTronNetwork
      const { chains, environment, fresh, heldOnTron, key, startInstance, tron, tronSolver, user, wallet } = network
      const { whileMining } = network
      const { output, url } = yield* startInstance()
      const doctor = runDoctor(environment)
      const wellAt = Effect.fnUntraced(function*(when: string) {
        const ran = yield* doctor
        assert.deepStrictEqual([ran.code, findingsOf(ran)], [0, []], `${when}: ${ran.error}`)
      })
      const there = yield* Effect.forEach(
        [TRX, usdt],
        (currency, index) => quote(url, toTron(user(index), newTronAddress(), chains.alpha.chainId, currency))
      )
      const back = yield* quoteTron(
        url,
        fromTron(wallet, fresh(), [chains.alpha.chainId, "0x0000000000000000000000000000000000000000"], [
          TRX,
          100n * ONE
        ])
      )
      yield* Effect.forEach(there, (quoted, index) => execute(chains.alpha, key(index), quoted))
      const waiting = Effect.sync(() => tron.chain.waiting().length)
      yield* eventually("the fills wait for a block", waiting, (count) => count === there.length)
      yield* wellAt("while payments wait")
      yield* carriedOut(wallet, back)
      yield* whileMining(Effect.andThen(
        Effect.forEach([...there, back], (quoted) => endedAnywhere(url, quoted)),
        eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      ))
      yield* wellAt("when all is final")
      assert.strictEqual(yield* alarms(url, "inventory-low"), 0)

      // Somebody who has the key takes almost everything.
      const thief = yield* tron.wallet(tronSolver)
      const rest = 90_000n * ONE
      const taken = (yield* heldOnTron(TRX, tronSolver.address)) - rest
      yield* Effect.promise(() => thief.transfer(newTronAddress(), taken, `0x${"ee".repeat(32)}`))
      yield* tron.mine()
      const told = yield* eventually("the doctor reports it", doctor, (ran) => findingsOf(ran).length > 0)
      assert.strictEqual(told.code, 1, told.error)
      assert.deepStrictEqual(findingsOf(told), [["payment-unrecorded", tronSlug]])
      yield* eventually("it is an alarm", alarms(url, "inventory-low"), (count) => count >= 1)
      assert.include(output(), `TRX of the solver's account on ${tronSlug} is low`)
    })))
})
