import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, parseAbi, parseEther } from "viem"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, sendCall, sendDeposit, status } from "../../testing/Client.ts"
import {
  alarms,
  assertDelivered,
  assertRefundedOnce,
  balanceOf,
  closed,
  eventually,
  holdMining,
  openDeposits,
  paymentsOf,
  resumeMining,
  runMisbehaving
} from "../../testing/Misbehaving.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { held, USDC } from "../../testing/Tokens.ts"
import { quoteNative } from "../../testing/Fixture.ts"

class Running extends fixtureOf<Running>()("test/SendersRunning", runMisbehaving) {}

const ask = (index: number, amount: bigint, changes: object) =>
  Effect.flatMap(Running, (running) => quoteNative(running, index, amount, changes))

/** A contract that refuses money: it reverts every transfer. */
const REFUSES = "0x60006000fd"

/** Accepts one wei for free, and burns about three million gas for any other value. */
const BURNS_GAS = "0x34600114601757620186a05b6001900380600b570000005b00"

layer(Running.layer, { excludeTestServices: true })("an unexpected deposit", (it) => {
  it.effect("by another sender: the order succeeds, and the user's own later deposit is refunded without changing that", () =>
    Effect.gen(function*() {
      const { chains, environment, key, url } = yield* Running
      const { alpha, beta, solver } = chains
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000a001",
        "0x000000000000000000000000000000000000a011"
      ] as const
      const quoted = yield* ask(0, parseEther("0.2"), { recipient, refundTo })
      yield* sendDeposit(alpha, key(1), quoted)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["success", "N/A"])
      const refundedBefore = yield* closed(url, "refunded")
      yield* sendDeposit(alpha, key(0), quoted)
      yield* eventually(
        "the second deposit is refunded",
        closed(url, "refunded"),
        (count) => count === refundedBefore + 1
      )
      const after = yield* status(url, quoted)
      assert.deepStrictEqual([after.status, after.failReason], ["success", "N/A"])
      yield* assertDelivered(chains, quoted, recipient)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      yield* assertRefundedOnce(chains, quoted, refundTo)
      // The next test counts deposits that are filled.
      yield* eventually("the first deposit is closed", openDeposits(environment), (open) => open === 0)
    }))

  it.effect("twice by the user while the destination is slow: one is filled, the other is refunded", () =>
    Effect.gen(function*() {
      const { chains, key, url } = yield* Running
      const { alpha, beta, solver } = chains
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000a014",
        "0x000000000000000000000000000000000000a015"
      ] as const
      const quoted = yield* ask(2, parseEther("0.2"), { recipient, refundTo })
      const before = { filled: yield* closed(url, "filled"), refunded: yield* closed(url, "refunded") }
      yield* holdMining(beta)
      yield* sendDeposit(alpha, key(2), quoted)
      yield* sendDeposit(alpha, key(2), quoted)
      yield* eventually(
        "the second deposit is refunded",
        closed(url, "refunded"),
        (count) => count === before.refunded + 1
      )
      assert.strictEqual((yield* status(url, quoted)).status, "submitted")
      yield* resumeMining(beta)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["success", "N/A"])
      yield* eventually("the first deposit is filled", closed(url, "filled"), (count) => count === before.filled + 1)
      yield* assertDelivered(chains, quoted, recipient)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      yield* assertRefundedOnce(chains, quoted, refundTo)
    }))

  it.effect("of more than an exact output needs: the surplus is delivered, too", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, key, url } = yield* Running
      const recipient = "0x000000000000000000000000000000000000a003"
      const quoted = yield* ask(3, parseEther("0.1"), { recipient, tradeType: "EXACT_OUTPUT" })
      yield* sendDeposit(alpha, key(3), quoted, parseEther("1"))
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const fills = yield* paymentsOf(beta, solver, quoted)
      assert.lengthOf(fills, 1)
      const arrived = yield* balanceOf(beta, recipient)
      assert.strictEqual(arrived, fills[0]?.value)
      assert.isTrue(arrived > parseEther("0.99") && arrived < parseEther("1"), `${arrived}`)
    }))

  it.effect("to a recipient that burns gas: it is refunded, and nothing is spent on the destination", () =>
    Effect.gen(function*() {
      const { chains, key, url } = yield* Running
      const { alpha, beta, solver } = chains
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000ba5e",
        "0x000000000000000000000000000000000000ba5f"
      ] as const
      const quoted = yield* ask(4, parseEther("0.05"), { recipient, refundTo })
      yield* beta.setCode(recipient, BURNS_GAS)
      const solverBefore = yield* balanceOf(beta, solver)
      yield* sendDeposit(alpha, key(4), quoted)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "TRANSACTION_REVERTED"])
      assert.strictEqual(yield* balanceOf(beta, recipient), 0n)
      assert.strictEqual(yield* balanceOf(beta, solver), solverBefore)
      const refunded = yield* assertRefundedOnce(chains, quoted, refundTo)
      assert.isTrue(refunded > parseEther("0.049"))
    }))

  it.effect("with the depository as depositor: nothing is paid there, where it would be another deposit of the order, and an operator is told", () =>
    Effect.gen(function*() {
      const { chains: { alpha, solver }, key, url } = yield* Running
      const depository = addressOf("Depository")
      const before = { unrefundable: yield* closed(url, "unrefundable"), alarms: yield* alarms(url, "unrefundable") }
      const quoted = yield* ask(7, USDC.some, { originCurrency: USDC.address, destinationCurrency: USDC.address })
      const data = quoted.steps.at(-1)?.items[0]?.data.data ?? "0x"
      // More than the order's minimum is filled from any sender. Less has to be refunded.
      const less = USDC.some / 5n
      yield* sendCall(alpha, key(8), {
        to: USDC.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [depository, less] })
      })
      const [held0, solver0] = [yield* held(alpha, USDC, depository), yield* held(alpha, USDC, solver)]
      const args = [depository, USDC.address, less, `0x${data.slice(-64)}`] as const
      yield* sendCall(alpha, key(8), {
        to: depository,
        data: encodeFunctionData({ abi: parseAbi(["function depositErc20(address, address, uint256, bytes32)"]), args })
      })
      yield* eventually(
        "the deposit is closed",
        closed(url, "unrefundable"),
        (count) => count === before.unrefundable + 1
      )
      yield* eventually("the alarm", alarms(url, "unrefundable"), (count) => count === before.alarms + 1)
      assert.deepStrictEqual([yield* held(alpha, USDC, depository), yield* held(alpha, USDC, solver)], [
        held0 + less,
        solver0
      ])
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")
    }))

  it.effect("whose refund address refuses money: it ends with an alarm and is not retried for ever", () =>
    Effect.gen(function*() {
      const { alphaNode, chains: { alpha, solver }, key, url } = yield* Running
      const refundTo = "0x000000000000000000000000000000000000a009"
      const before = { unrefundable: yield* closed(url, "unrefundable"), alarms: yield* alarms(url, "unrefundable") }
      const quoted = yield* ask(5, parseEther("0.1"), { refundTo })
      yield* alpha.setCode(refundTo, REFUSES)
      // A stranger's dust, with the USDC contract as its depositor, which refuses native money.
      yield* sendRaw(
        alpha,
        yield* signDeposit(alpha, key(6), quoted, {
          depositor: "0x156be1ab50fd81b64705911d052a814d79f2b00e",
          value: parseEther("0.01")
        })
      )
      yield* eventually("the dust is closed", closed(url, "unrefundable"), (count) => count === before.unrefundable + 1)
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")

      yield* sendDeposit(alpha, key(5), quoted, parseEther("0.05"))
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["failure", "UNKNOWN"])
      yield* eventually(
        "the deposit is closed",
        closed(url, "unrefundable"),
        (count) => count === before.unrefundable + 2
      )
      yield* eventually("the alarm", alarms(url, "unrefundable"), (count) => count === before.alarms + 2)
      assert.lengthOf(yield* paymentsOf(alpha, solver, quoted), 0)
      // Twelve polls later nothing has been estimated again.
      const estimates = alphaNode.calls("eth_estimateGas")
      const polls = alphaNode.calls("eth_getBlockByNumber")
      yield* eventually(
        "the chain is watched on",
        Effect.sync(() => alphaNode.calls("eth_getBlockByNumber") - polls),
        (count) => count >= 12
      )
      assert.strictEqual(alphaNode.calls("eth_estimateGas"), estimates)
    }))
})
