/** Deposit addresses on a misbehaving chain: refused sweeps, and filled deposits that the chain moves or removes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { depositFactory } from "../../../localnet/nodes/ethereum/DepositFactory.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { addressFor, payTo, requestsOf } from "../../testing/Addressed.ts"
import { ended, nativeRequest, quote, reader } from "../../testing/Client.ts"
import {
  alarms,
  balanceOf,
  closed,
  eventually,
  holdMining,
  openDeposits,
  resumeMining,
  runMisbehaving
} from "../../testing/Misbehaving.ts"
import { sendRaw, signDeposit, signTransfer } from "../../testing/SignedDeposit.ts"
import { ETH } from "../../testing/Tokens.ts"

class Running extends fixtureOf<Running>()("test/SweepsRunning", runMisbehaving) {}

const ask = Effect.fnUntraced(function*(index: number, changes: object) {
  const { chains: { alpha, beta }, url, user } = yield* Running
  return yield* addressFor(url, nativeRequest(user(index), alpha, beta, ETH.some, changes))
})

/**
 * Pays twice the amount to a strict address, and fills it before anything is final. Returns what happened, so that a
 * test can undo it.
 */
const filledNotFinal = Effect.fnUntraced(function*(index: number, recipient: Hex, refundTo: Hex) {
  const { alphaNode, chains: { alpha }, key, url } = yield* Running
  const { depositAddress, quoted } = yield* ask(index, { recipient, refundTo, strict: true })
  yield* holdMining(alpha)
  const before = yield* alpha.request("evm_snapshot")
  let sweep: Hex | undefined
  alphaNode.lie(({ method, params = [] }, truth) => {
    const [raw] = params
    if (method === "eth_sendRawTransaction" && isHex(raw)) sweep = raw
    return truth()
  })
  const paid = yield* signTransfer(alpha, key(index), depositAddress, ETH.some * 2n)
  yield* sendRaw(alpha, paid)
  yield* alpha.mine(1)
  const swept = yield* eventually("the sweep is broadcast", Effect.sync(() => sweep), (raw) => raw !== undefined)
  yield* alpha.mine(1)
  assert.strictEqual((yield* ended(url, quoted)).status, "success")
  // The host sees the new chain only once it is complete.
  alphaNode.hang()
  yield* alpha.request("evm_revert", [before])
  yield* alpha.request("evm_increaseTime", [1])
  return { depositAddress, quoted, paid, swept: swept ?? "0x" }
})

layer(Running.layer, { excludeTestServices: true })("a deposit address on a chain", (it) => {
  it.effect("that moves its filled deposit: the excess is returned once, from its new place, and no operator is asked to pay it", () =>
    Effect.gen(function*() {
      const { alphaNode, chains: { alpha, beta }, environment, key, url } = yield* Running
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000e101",
        "0x000000000000000000000000000000000000e102"
      ] as const
      const before = {
        filled: yield* closed(url, "filled"),
        gone: yield* closed(url, "gone"),
        alarms: yield* alarms(url, "unrefundable")
      }
      const plain = yield* quote(url, nativeRequest(privateKeyToAccount(key(8)).address, alpha, beta, ETH.some))
      const { depositAddress, paid, quoted, swept } = yield* filledNotFinal(0, recipient, refundTo)
      yield* sendRaw(alpha, paid)
      yield* alpha.mine(1)
      // A deposit without an order, before it in its block.
      yield* sendRaw(
        alpha,
        yield* signDeposit(alpha, key(8), plain, { orderId: `0x${"77".repeat(32)}`, value: 1n, extraTip: 10n ** 10n })
      )
      yield* sendRaw(alpha, swept)
      yield* alpha.mine(4)
      alphaNode.tellTheTruth()
      yield* resumeMining(alpha)
      yield* eventually(
        "the deposit is gone from its first place, and filled in the other",
        Effect.all([closed(url, "filled"), closed(url, "gone")]),
        ([filled, gone]) => filled === before.filled + 1 && gone === before.gone + 1
      )
      yield* eventually("nothing is open", openDeposits(environment), (open) => open === 0)
      const back = yield* balanceOf(alpha, refundTo)
      assert.isTrue(back > 0n && back < ETH.some, `${back}`)
      assert.strictEqual(yield* alarms(url, "unrefundable"), before.alarms)
      const [request] = yield* requestsOf(url, depositAddress)
      assert.deepStrictEqual(
        request?.data.refunds.filter(({ state }) => state === "paid").map(({ refunded }) => refunded),
        [`${back}`]
      )
      assert.strictEqual(yield* balanceOf(beta, recipient), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("that removes a filled deposit and the payment to the address: an alarm says so, and no excess is returned", () =>
    Effect.gen(function*() {
      const { alphaNode, chains: { alpha }, environment, key, url } = yield* Running
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000e103",
        "0x000000000000000000000000000000000000e104"
      ] as const
      const before = {
        gone: yield* alarms(url, "filled-deposit-gone"),
        unrefundable: yield* alarms(url, "unrefundable")
      }
      yield* filledNotFinal(1, recipient, refundTo)
      // The payer has used the same nonce for another transaction.
      yield* sendRaw(alpha, yield* signTransfer(alpha, key(1), "0x000000000000000000000000000000000000e105", 1n))
      yield* alpha.mine(4)
      alphaNode.tellTheTruth()
      yield* resumeMining(alpha)
      yield* eventually("somebody is told", alarms(url, "filled-deposit-gone"), (count) => count === before.gone + 1)
      yield* eventually("nothing is open", openDeposits(environment), (open) => open === 0)
      assert.deepStrictEqual([yield* balanceOf(alpha, refundTo), yield* alarms(url, "unrefundable")], [
        0n,
        before.unrefundable
      ])
    }))

  it.effect("that refuses its sweep: an operator is told, nothing is quoted repeatedly, and it is swept when it can be", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, host, key, startInstance, url } = yield* Running
      const { depositAddress, quoted } = yield* ask(2, { recipient: "0x000000000000000000000000000000000000e106" })
      yield* payTo(alpha, key(2), depositAddress, ETH, ETH.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const code = (yield* Effect.promise(() => reader(alpha).getCode({ address: depositFactory }))) ?? "0x"
      yield* alpha.setCode(depositFactory, "0x60006000fd")
      yield* payTo(alpha, key(2), depositAddress, ETH, ETH.some)
      yield* eventually("somebody is told", alarms(url, "sweep-refused"), (count) => count > 0)
      assert.lengthOf(yield* requestsOf(url, depositAddress), 2)
      yield* alpha.setCode(depositFactory, code)
      // The sweep would be retried within a minute. A restart retries it at once.
      yield* host.stop
      const again = yield* startInstance()
      const all = yield* eventually(
        "both succeed",
        requestsOf(again.url, depositAddress),
        (found) => found.every(({ status }) => status === "success")
      )
      assert.lengthOf(all, 2)
      assert.strictEqual(yield* balanceOf(alpha, depositAddress), 0n)
    }))
})
