/**
 * Chains and a hub that take gas for new state (PRICE-29, EIP-8037), simulated at the wire: what a sponsor pays for, what a
 * user signs, and a fill that swaps are made there, and all of it is settled.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf } from "../../testing/Fixture.ts"
import { ended, execute, nativeRequest, post, quote, sendDeposit } from "../../testing/Client.ts"
import { eventually, orderIdOf, startMisbehaving } from "../../testing/Misbehaving.ts"
import {
  approve,
  itemOf,
  permitEnded,
  permitRequest,
  postSignature,
  quotePermit,
  signItem
} from "../../testing/PermitClient.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { addSponsors, keyOf } from "../../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { DAI, ETH, GEM, held, USDC, USDT } from "../../testing/Tokens.ts"
import { fork } from "./testing/Glamsterdam.ts"

const SPONSOR = { id: "sponsor", wallet: toHex(0x5b1_0002, { size: 20 }), balance: 1_000_000_000n }

const start = Effect.gen(function*() {
  const network = yield* settlingOver(yield* startMisbehaving, 1, 1)
  yield* addSponsors(network.store, [SPONSOR])
  const { url } = yield* network.startInstance({ ...network.settling, FACTS_MAX_AGE_MS: "0" })
  const forks = [network.alphaNode, network.betaNode, network.node].map(fork)
  return { ...network, url, starved: () => forks.flatMap((each) => each.starved) }
})

class Network extends fixtureOf<Network>()("test/StateGasSettled", start) {}

layer(Network.layer, { excludeTestServices: true })("chains and a hub that take gas for new state", (it) => {
  it.effect("a payment to a new account is settled", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, key, starved, url, user } = yield* Network
      const recipient = fresh()
      const quoted = yield* quote(url, nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient }))
      yield* sendDeposit(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, ETH, recipient), BigInt(quoted.details.currencyOut.amount))
      yield* settled(url, orderIdOf(quoted))
      assert.deepStrictEqual(starved(), [])
    }))

  it.effect("a fill that swaps for a holder's first token is made at its price", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, key, starved, url, user } = yield* Network
      const recipient = fresh()
      const quoted = yield* quote(url, {
        ...nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient }),
        destinationCurrency: GEM.address
      })
      yield* sendDeposit(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.isTrue((yield* held(beta, GEM, recipient)) >= BigInt(quoted.details.currencyOut.minimumAmount))
      yield* settled(url, orderIdOf(quoted))
      assert.deepStrictEqual(starved(), [])
    }))

  it.effect("a deposit by each kind of signature is made", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, key, starved, url, user } = yield* Network
      for (const currency of [USDC, USDT, DAI]) {
        const recipient = fresh()
        const { quoted } = yield* quotePermit(url, {
          ...permitRequest(user(1), alpha, beta, currency, { recipient }),
          destinationCurrency: USDC.address
        })
        yield* approve(alpha, key(1), quoted)
        const item = itemOf(quoted)
        const answer = yield* postSignature(url, item, yield* signItem(key(1), item))
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual((yield* permitEnded(url, item)).status, "success")
        assert.strictEqual(yield* held(beta, USDC, recipient), BigInt(quoted.details.currencyOut.amount))
      }
      assert.deepStrictEqual(starved(), [])
    }))

  it.effect("a sponsor pays for the state, and no more than was quoted", () =>
    Effect.gen(function*() {
      const network = yield* Network
      const { chains: { alpha }, fresh, key, starved, url, user } = network
      const execution: Array<bigint> = []
      for (const recipient of [fresh(), user(3)]) {
        const body = requestOf(network, 2, [USDC, USDC], { recipient, subsidizeFees: true })
        const answer = yield* post(`${url}/quote`, body, keyOf(SPONSOR))
        assert.strictEqual(answer.status, 200, answer.text)
        const quoted = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
        yield* execute(alpha, key(2), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        const paid = yield* eventually("who paid", actualOf(url, quoted), (actual) => actual !== undefined)
        execution.push(BigInt(paid?.components["execution"]?.sponsored.amount ?? "0"))
        assert.isTrue(
          BigInt(paid?.sponsorPayment.amount ?? "0") <= BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount)
        )
      }
      const [first = 0n, known = 0n] = execution
      assert.isTrue(first > 2n * known && known > 0n, `${first} ${known}`)
      assert.deepStrictEqual(starved(), [])
    }))
})
