/** What lands at an open address on a third chain, neither the one that it was quoted on nor the one of delivery (ADDRESS-10). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { Anvil } from "../localnet/chains/Anvil.ts"
import { deploy } from "../localnet/Deployment.ts"
import { addressFor, payTo, reindex, requestsOf } from "./testing/Addressed.ts"
import { nativeRequest } from "./testing/Client.ts"
import { configuredProgram } from "./testing/ConfiguredProgram.ts"
import { startHost } from "./testing/HostProcess.ts"
import { eventually } from "./testing/Misbehaving.ts"
import { ETH, held, USDC } from "./testing/Tokens.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

const GAMMA = 616103

const Entries = Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Json)))

/** Like alpha, and a chain of its own. */
const withGamma = (chains: string): string => {
  const [alpha = {}, ...others] = Schema.decodeUnknownSync(Entries)(chains)
  return JSON.stringify([alpha, ...others, { ...alpha, id: "gamma", chainId: GAMMA, hubChainId: `${GAMMA}`, httpRpcUrl: "$GAMMA_RPC_URL" }])
}

const start = Effect.gen(function*() {
  const { chains, environment } = yield* startNetwork
  const gamma = yield* Anvil.start({ chainId: GAMMA, blockTime: 1, accounts: 0 })
  yield* deploy(gamma, chains.parties)
  const { url } = yield* startHost({ ...environment, CHAINS: `${environment["CHAINS"]},gamma`, GAMMA_RPC_URL: gamma.url }, yield* configuredProgram(withGamma))
  return { chains, gamma, url }
})

describe("a deposit on another chain", () => {
  for (const currency of [ETH, USDC]) {
    it.live(`of ${currency.symbol} is a request of its own from there, once a reindex has found it; the address's own request still waits`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains: { alpha, beta, users: [user = "0x"] }, gamma, url } = yield* start
        const [recipient, refundTo] = ["0x000000000000000000000000000000000000c0a1", "0x000000000000000000000000000000000000c0a2"] as const
        const { depositAddress, requestId } = yield* addressFor(url, {
          ...nativeRequest(privateKeyToAccount(user).address, alpha, beta, currency.some, { recipient, refundTo }),
          originCurrency: currency.address,
          destinationCurrency: currency.address
        })
        yield* payTo(gamma, user, depositAddress, currency, currency.some)
        const answer = yield* reindex(url, { chainId: alpha.chainId, depositAddress, targetChainId: GAMMA })
        assert.strictEqual(answer.status, 200, answer.text)
        const made = yield* eventually("a request of its own succeeds", requestsOf(url, depositAddress), (all) => all.some(({ status }) => status === "success"))
        assert.deepStrictEqual(made.map(({ status }) => status).toSorted(), ["success", "waiting"])
        assert.strictEqual(made.find(({ status }) => status === "waiting")?.id, requestId)
        const delivered = yield* held(beta, currency, recipient)
        assert.isTrue(delivered > currency.some * 9n / 10n && delivered < currency.some, `${delivered} of ${currency.some}`)
        assert.strictEqual(yield* held(gamma, currency, depositAddress), 0n)
        assert.strictEqual(yield* held(gamma, currency, refundTo), 0n)
        // What the address was quoted for still comes by it.
        yield* payTo(alpha, user, depositAddress, currency, currency.some)
        yield* eventually("both succeed", requestsOf(url, depositAddress), (all) => all.length === 2 && all.every(({ status }) => status === "success"))
        assert.isTrue((yield* held(beta, currency, recipient)) > delivered)
      })))
  }
})
