/**
 * The fee of the OP stack for data on L1 is in prices, refunds and books (PRICE-28), however dear L1 is. Anvil charges it;
 * receipts with it are simulated at the wire.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { ended, nativeRequest, quote, sendCall, sendDeposit } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { startTransferInstance } from "../../testing/HostInstance.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import { assertDelivered, assertRefundedOnce, balanceOf, paymentsOf } from "../../testing/Misbehaving.ts"
import { startChainsWith } from "../../testing/TestChains.ts"
import { ETH } from "../../testing/Tokens.ts"
import { networkOn } from "../../testing/TransferNetwork.ts"
import { asRollups } from "./testing/AsRollups.ts"
import { setL1Fees, showL1Fees, spentBy } from "./testing/OpStack.ts"

const start = Effect.gen(function*() {
  const network = yield* networkOn(startChainsWith(["--network", "optimism"]))
  const { chains: { alpha, beta }, environment } = network
  const [alphaNode, betaNode] = [yield* lyingNode(alpha.url), yield* lyingNode(beta.url)]
  showL1Fees(alphaNode, alpha)
  showL1Fees(betaNode, beta)
  const settings = {
    ...environment,
    ALPHA_RPC_URL: alphaNode.url,
    BETA_RPC_URL: betaNode.url,
    FACTS_MAX_AGE_MS: "0"
  }
  const configs = yield* configuredFolder(asRollups("op-stack"))
  return {
    ...network,
    betaNode,
    startRollups: startTransferInstance(settings, configs),
    startPlain: startTransferInstance(settings)
  }
})

class Network extends fixtureOf<Network>()("test/L1Fee", start) {}

const GWEI = 10n ** 9n
const CALM = { base: GWEI, blob: GWEI }
/** A plain payment costs some hundred times its gas. */
const DEAR = { base: 500n * GWEI, blob: 20_000n * GWEI }

/** The fee of the transaction that paid, as the history has it. */
const Booked = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    data: Schema.Struct({ outTxs: Schema.Array(Schema.Struct({ fee: Schema.String, hash: Schema.String })) })
  }))
})
const bookedFor = Effect.fnUntraced(function*(url: string, { steps }: QuoteAnswer) {
  const answer = yield* get(`${url}/requests?id=${steps[0]?.requestId ?? ""}`)
  const { requests } = yield* Schema.decodeUnknownEffect(Booked)(answer.json())
  return requests[0]?.data.outTxs.map(({ fee }) => BigInt(fee)) ?? []
})

layer(Network.layer, { excludeTestServices: true })("a chain that takes a fee for data on L1", (it) => {
  it.effect("has it in the price of a fill and in the books, to the unit, and not where its entry does not say so", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { alpha, beta, solver }, fresh, key, startPlain, startRollups, user } = yield* Network
      const transfer = Effect.fnUntraced(function*(url: string) {
        const recipient = fresh()
        const quoted = yield* quote(url, nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient }))
        yield* sendDeposit(alpha, key(0), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        yield* assertDelivered(chains, quoted, recipient)
        const [fill] = yield* paymentsOf(beta, solver, quoted)
        const spent = yield* Effect.promise(() => spentBy(beta, fill?.hash ?? "0x"))
        return {
          charged: BigInt(quoted.fees["relayerGas"]?.amount ?? "0"),
          spent,
          booked: yield* bookedFor(url, quoted)
        }
      })
      yield* setL1Fees(alpha, CALM)
      for (const fees of [CALM, DEAR]) {
        yield* setL1Fees(beta, fees)
        const { booked, charged, spent } = yield* Effect.scoped(
          Effect.flatMap(startRollups, ({ url }) => transfer(url))
        )
        assert.isTrue(charged >= spent, `${charged} ${spent}`)
        // No more than half above it: the chain's own bound, and an eighth.
        assert.isTrue(charged <= (spent * 3n) / 2n, `${charged} ${spent}`)
        assert.deepStrictEqual(booked, [spent])
      }
      const { booked, charged, spent } = yield* Effect.scoped(Effect.flatMap(startPlain, ({ url }) => transfer(url)))
      assert.isTrue(charged * 10n < spent, `${charged} ${spent}`)
      assert.isTrue((booked[0] ?? 0n) * 10n < spent)
    })))
})
