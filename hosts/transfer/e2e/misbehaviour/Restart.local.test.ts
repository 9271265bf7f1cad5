import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createWalletClient, http, parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, reader, sendDeposit, status } from "../../testing/Client.ts"
import {
  alarms,
  assertDelivered,
  balanceOf,
  closed,
  counter,
  eventually,
  paymentsOf,
  startMisbehaving
} from "../../testing/Misbehaving.ts"
import { quoteNative } from "../../testing/Fixture.ts"

class Network extends fixtureOf<Network>()("test/RestartNetwork", startMisbehaving) {}

/** A transfer whose fill is signed and stored but was never broadcast, because its host died in between. */
const leaveSigned = Effect.fnUntraced(function*(index: number, recipient: Hex) {
  const network = yield* Network
  const { chains, key, startHost } = network
  const host = yield* startHost({ FAILPOINT: "Treasury.broadcast:before" })
  const quoted = yield* quoteNative({ ...network, url: host.url }, index, parseEther("0.2"), { recipient })
  yield* sendDeposit(chains.alpha, key(index), quoted)
  assert.strictEqual(yield* host.ended, "SIGKILL")
  assert.lengthOf(yield* paymentsOf(chains.beta, chains.solver, quoted), 0)
  return quoted
})

layer(Network.layer, { excludeTestServices: true })("a host that starts again", (it) => {
  it.effect("finds its payment's nonce used by someone else with the key: it signs again and pays once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains: { beta, solver, solverKey }, startInstance } = yield* Network
      const recipient = "0x000000000000000000000000000000000000a005"
      const quoted = yield* leaveSigned(0, recipient)
      const wallet = createWalletClient({ account: privateKeyToAccount(solverKey), transport: http(beta.url) })
      const taken = yield* Effect.promise(() => reader(beta).getTransactionCount({ address: solver }))
      const hash = yield* Effect.promise(() =>
        wallet.sendTransaction({ chain: null, to: recipient, value: 1n, nonce: taken })
      )
      yield* Effect.promise(() => reader(beta).waitForTransactionReceipt({ hash }))

      const calls = betaNode.calls()
      const from = performance.now()
      const { output, url } = yield* startInstance()
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* eventually("the deposit is closed", closed(url, "filled"), (count) => count === 1)
      const promised = BigInt(quoted.details.currencyOut.amount)
      assert.strictEqual(yield* balanceOf(beta, recipient), promised + 1n)
      const fills = yield* paymentsOf(beta, solver, quoted)
      assert.deepStrictEqual(fills.map(({ nonce, value }) => ({ nonce, value })), [{
        nonce: taken + 1,
        value: promised
      }])
      yield* eventually("the alarm", alarms(url, "sequence-used-by-another"), (count) => count === 1)
      assert.include(output(), "lost its sequence to a transaction that is not ours")
      // Five polls a second, with a few calls each: far from a loop without a pause.
      assert.isBelow((betaNode.calls() - calls) / ((performance.now() - from) / 1_000), 150)
    })))

  it.effect("serves other chains for a while: it closes nothing of the chains that it does not serve", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { beta, solver }, startInstance } = yield* Network
      const recipient = "0x000000000000000000000000000000000000a008"
      const quoted = yield* leaveSigned(1, recipient)
      const partial = yield* startInstance({ CHAINS: "beta" })
      yield* eventually(
        "the filling waits for its chain",
        counter(partial.url, "retries_total", "load"),
        (count) => count >= 2
      )
      assert.notInclude(["success", "refund", "failure"], (yield* status(partial.url, quoted)).status)
      assert.strictEqual(yield* closed(partial.url, "foreign"), 0)
      yield* partial.stop

      const { url } = yield* startInstance()
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* eventually("the deposit is closed", closed(url, "filled"), (count) => count === 1)
      yield* assertDelivered({ beta }, quoted, recipient)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
    })))
})
