/**
 * Nodes try calls with more gas than a transaction may offer (EIP-7825), and take no such transaction. One that was signed
 * would hold up every later payment of its account.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { nativeRequest, postQuote } from "../../testing/Client.ts"
import { ETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Network extends fixtureOf<Network>()("test/GasCap", startNetwork) {}

layer(Network.layer, { excludeTestServices: true })("calls on a chain with large blocks", (it) => {
  it.effect("are quoted with no more gas than a transaction may offer (REQUEST-29)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, startInstance, user } = yield* Network
      yield* beta.request("evm_setBlockGasLimit", [toHex(140_000_000)])
      yield* beta.mine(1)
      const { url } = yield* startInstance()
      const quoted = (txsGasLimit: number) =>
        Effect.map(
          postQuote(url, {
            ...nativeRequest(user(0), alpha, beta, 100n * ETH.some),
            recipient: fresh(),
            txs: [{ to: fresh(), value: "0", data: "0x" }],
            txsGasLimit
          }),
          ({ status }) => status
        )
      assert.strictEqual(yield* quoted(15_777_216), 200)
      assert.strictEqual(yield* quoted(15_777_217), 400)
      assert.strictEqual(yield* quoted(20_000_000), 400)
    })))
})
