/** What an operator sees of Tron: the doctor compares store and chain, and a low inventory is an alarm. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type { Hex } from "viem"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import type { Wallet } from "../../../localnet/nodes/tron/node/Wallet.ts"
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

      // Somebody who has the key takes USDT at once, lets another account take it later, and takes almost all TRX.
      const thief = yield* tron.wallet(tronSolver)
      const call = (by: Wallet, data: Hex) => Effect.promise(() => by.trigger(usdt, data))
      const to = wallet.key.evm
      const rest = 90_000n * ONE
      const taken = (yield* heldOnTron(TRX, tronSolver.address)) - rest
      const tokens = yield* heldOnTron(usdt, tronSolver.address)
      const moved = yield* call(
        thief,
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 5n * ONE] })
      )
      const allowed = yield* call(
        thief,
        encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [to, 7n * ONE] })
      )
      const sun = yield* Effect.promise(() => thief.transfer(newTronAddress(), taken, `0x${"ee".repeat(32)}`))
      yield* tron.mine()
      // The account has not sent this one: it is seen by the approval before it.
      const drawn = yield* call(
        wallet,
        encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [tronSolver.evm, to, 7n * ONE] })
      )
      yield* tron.mine()
      assert.strictEqual(tokens - (yield* heldOnTron(usdt, tronSolver.address)), 12n * ONE)
      const told = yield* eventually("the doctor reports all of it", doctor, (ran) => findingsOf(ran).length >= 3)
      assert.strictEqual(told.code, 1, told.error)
      assert.deepStrictEqual(findingsOf(told), [1, 2, 3].map(() => ["payment-unrecorded", tronSlug]))
      for (const id of [moved, allowed, sun]) assert.include(told.out, id)
      assert.notInclude(told.out, drawn)
      yield* eventually("it is an alarm", alarms(url, "inventory-low"), (count) => count >= 1)
      yield* eventually(
        "the log says so",
        Effect.sync(output),
        (text) => text.includes(`TRX of the solver's account on ${tronSlug} is low`)
      )
    })))
})
