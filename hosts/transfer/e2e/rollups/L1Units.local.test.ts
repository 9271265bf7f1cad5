/**
 * Gas that Arbitrum takes for data on L1 is part of estimates (PRICE-27): payments are made however dear L1 is, and a
 * recipient's code may take no more for that. The units are simulated at the wire.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { ended, nativeRequest, post, postQuote, quote, sendDeposit } from "../../testing/Client.ts"
import { startTransferInstance } from "../../testing/HostInstance.ts"
import { assertDelivered, assertRefundedOnce, paymentsOf, startMisbehaving } from "../../testing/Misbehaving.ts"
import { ETH } from "../../testing/Tokens.ts"
import { asRollups } from "./testing/AsRollups.ts"
import { takeUnits } from "./testing/L1Units.ts"

const start = Effect.gen(function*() {
  const network = yield* startMisbehaving
  const configs = yield* configuredFolder(asRollups("arbitrum"))
  const settings = { ...network.environment, ALPHA_RPC_URL: network.alphaNode.url, BETA_RPC_URL: network.betaNode.url }
  return {
    ...network,
    startArbitrum: startTransferInstance({ ...settings, FACTS_MAX_AGE_MS: "0" }, configs)
  }
})

class Network extends fixtureOf<Network>()("test/L1Units", start) {}

/** A plain payment has some 140 bytes: its L1 part is above the bound of 150,000. */
const DEAR = 2_000n

/** Code that runs a loop of 26 gas so many times, whenever it is paid. */
const burner = (rounds: number): Hex => `0x62${rounds.toString(16).padStart(6, "0")}5b60019003806004575b00`

const BURNERS = [[1_000, 200], [3_800, 200], [4_000, 400], [20_000, 400]] as const

layer(Network.layer, { excludeTestServices: true })("a chain whose gas has units for data on L1", (it) => {
  it.effect("pays an account and refunds while L1 is dear, and does not where its entry does not say so", () =>
    Effect.scoped(Effect.gen(function*() {
      const {
        alphaNode,
        betaNode,
        chains,
        chains: { alpha, beta, solver },
        fresh,
        key,
        startArbitrum,
        startInstance,
        user
      } = yield* Network
      takeUnits(alphaNode, DEAR)
      takeUnits(betaNode, DEAR)
      const request = (recipient: Hex, refundTo: Hex) =>
        nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient, refundTo })
      const [recipient, refundTo] = [fresh(), fresh()]
      yield* Effect.scoped(Effect.gen(function*() {
        const { url } = yield* startInstance({ FACTS_MAX_AGE_MS: "0" })
        assert.strictEqual((yield* postQuote(url, request(recipient, refundTo))).status, 400)
      }))
      const { url } = yield* startArbitrum
      const quoted = yield* quote(url, request(recipient, refundTo))
      yield* sendDeposit(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* assertDelivered(chains, quoted, recipient)
      const [fill] = yield* paymentsOf(beta, solver, quoted)
      assert.isTrue((fill?.gas ?? 0n) > 280_000n, `${fill?.gas}`)
      // A deposit that is too small is refunded, by a payment of the same kind on the other chain.
      const another = yield* quote(url, request(fresh(), refundTo))
      yield* sendDeposit(alpha, key(0), another, 10n * ETH.some)
      assert.strictEqual((yield* ended(url, another)).status, "refund")
      yield* assertRefundedOnce(chains, another, refundTo)
    })))

  it.effect("lets a recipient's code take as much as on any chain, at any fee of L1", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta }, fresh, startArbitrum, user } = yield* Network
      const { url } = yield* startArbitrum
      for (const eachByte of [0n, 100n, DEAR, 10n * DEAR]) {
        takeUnits(betaNode, eachByte)
        for (const [rounds, status] of BURNERS) {
          const recipient = fresh()
          yield* beta.setCode(recipient, burner(rounds))
          const answer = yield* post(
            `${url}/quote`,
            nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient })
          )
          assert.strictEqual(answer.status, status, `${rounds} rounds at ${eachByte}: ${answer.text}`)
        }
      }
    })))

  it.effect("fills a contract at its quote when L1 has become ten times as dear (PRICE-26 is about code)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains, chains: { alpha, beta }, fresh, key, startArbitrum, user } = yield* Network
      const { url } = yield* startArbitrum
      takeUnits(betaNode, 100n)
      const recipient = fresh()
      yield* beta.setCode(recipient, burner(1_000))
      const quoted = yield* quote(url, nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient }))
      takeUnits(betaNode, 1_000n)
      yield* sendDeposit(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* assertDelivered(chains, quoted, recipient)
    })))
})
