/**
 * Who pays the fees of transfers from and to exchange B, and how they are told: a sponsor, who also pays what the
 * exchange takes for the fill; app fees, which are booked once; history, page and webhooks.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther, toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { EXCHANGE_B_CHAIN_ID } from "../../../localnet/nodes/exchange-b/ExchangeBChain.ts"
import type { State } from "../../../localnet/nodes/exchange-b/node/State.ts"
import { execute, postQuote, quote, reader } from "../../testing/Client.ts"
import { deposit, fromExchangeB, quoteExchangeB } from "../../testing/ExchangeBClient.ts"
import { startExchangeBNetwork, TRANSFER_FEE, USER } from "../../testing/ExchangeBNetwork.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { bodyOf, heldOnExchangeB, openOn, PERPS, SPOT } from "../../testing/PaidOnExchangeB.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { keyOf as sponsorKeyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { microsOf, sponsorPaid } from "../../testing/SponsorPaid.ts"
import { assertTold, startTold } from "../../testing/Told.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const USD = 1_000_000n
/** Micro-USDC: what the exchange takes for a transfer, and the flat part of an execution (PRICE-3). */
const [FEE, FLAT] = [BigInt(TRANSFER_FEE), 20_000n]

const sponsor = (n: number): TestSponsor => ({
  id: `exchange-sponsor-${n}`,
  wallet: toHex(0xeb8_0000 + n, { size: 20 }),
  balance: 50_000_000n
})

class Running extends fixtureOf<Running>()(
  "test/ExchangeBFees",
  startFixture(startExchangeBNetwork, { sponsors: [sponsor(1), sponsor(2), sponsor(3)], keys: ["app"] })
) {}

/** The row of a transfer, by the exchange itself: its seconds take the place of blocks. */
const rowOf = (state: State, payer: "solver" | "user") => (hash: string) => {
  const { info, queuedAt } = state.sent.find((each) => each.hash === hash) ?? assert.fail(`no transaction ${hash}`)
  const second = Math.floor(queuedAt / 1_000)
  return {
    hash,
    chainId: EXCHANGE_B_CHAIN_ID,
    block: second,
    timestamp: second,
    fee: payer === "solver" ? `${info.USDCFee}` : null
  }
}

layer(Running.layer, { excludeTestServices: true })("the fees of transfers with exchange B", (it) => {
  it.effect("to exchange B are paid by a sponsor, with the exchange's own for the fill, as quoted", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, key, state, url } = running
      for (const [n, currency] of [[1, PERPS], [2, SPOT]] as const) {
        const recipient = openOn(state)
        const body = { ...bodyOf(running, currency, recipient, n), subsidizeFees: true }
        const answer = yield* postQuote(url, body, sponsorKeyOf(sponsor(n)))
        assert.strictEqual(answer.status, 200, answer.text)
        const asked = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
        yield* execute(chains.alpha, key(n), asked)
        const ended = yield* endedAnywhere(url, asked)
        const paid = yield* sponsorPaid(running, sponsor(n), asked)
        assert.strictEqual(ended.status, "success")
        assert.strictEqual(heldOnExchangeB(state, currency, recipient), BigInt(asked.details.currencyOut.amount))
        const spent = microsOf(paid.components["execution"])
        assert.strictEqual(spent, FLAT + FEE)
        const { components, sponsoredTotal } = asked.feeSponsorship.quoted
        assert.isTrue(spent <= microsOf(components["execution"]))
        assert.isTrue(BigInt(paid.sponsorPayment.amount) <= BigInt(sponsoredTotal.amount))
      }
    }))

  it.effect("from exchange B are paid by a sponsor: the user pays the amount, and the exchange for its own transfer", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, exchangeUrl, fresh, state, url, wallet } = running
      const recipient = fresh()
      const body = fromExchangeB(wallet, recipient, [chains.alpha.chainId, NATIVE], [PERPS, 100n * USD], {
        subsidizeFees: true
      })
      const asked = yield* quoteExchangeB(url, body, sponsorKeyOf(sponsor(3)))
      const before = heldOnExchangeB(state, PERPS, USER)
      const hash = yield* deposit(exchangeUrl, wallet, asked)
      assert.deepInclude(yield* endedAnywhere(url, asked), { status: "success", inTxHashes: [hash] })
      const paid = yield* sponsorPaid(running, sponsor(3), asked)
      const balance = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
      assert.strictEqual(balance, BigInt(asked.details.currencyOut.amount))
      assert.strictEqual(before - heldOnExchangeB(state, PERPS, USER), 100n * USD + FEE)
      assert.isTrue(BigInt(paid.sponsorPayment.amount) > 0n)
    }))

  it.effect("of apps are booked once for each deposit, to the unit, in its currency", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, exchangeUrl, fresh, key, other, state, store, url } = running
      const app = fresh()
      const appFees = [{ recipient: app, fee: "100" }]
      const leaving = yield* Effect.forEach([PERPS, SPOT], (currency) =>
        Effect.gen(function*() {
          const quoted = yield* quoteExchangeB(
            url,
            fromExchangeB(other, fresh(), [chains.alpha.chainId, NATIVE], [currency, 50n * USD], { appFees })
          )
          assert.match(yield* deposit(exchangeUrl, other, quoted), /^[0-9a-f]{80}$/)
          return quoted
        }))
      const arriving = yield* quote(url, { ...bodyOf(running, SPOT, openOn(state), 3), appFees })
      yield* execute(chains.alpha, key(3), arriving)
      for (const asked of [...leaving, arriving]) {
        assert.strictEqual((yield* endedAnywhere(url, asked)).status, "success")
      }
      const booked = Effect.map(
        ledgerOf(store),
        (all) => Object.entries(all).filter(([account]) => account.startsWith(`AppFeePayable:${app}`))
      )
      yield* eventually("all are booked", booked, (found) => found.length === 3)
      assert.deepStrictEqual(Object.fromEntries(yield* booked), {
        [`AppFeePayable:${app}@${EXCHANGE_B_CHAIN_ID}:${PERPS}`]: USD / 2n,
        [`AppFeePayable:${app}@${EXCHANGE_B_CHAIN_ID}:${SPOT}`]: USD / 2n,
        [`AppFeePayable:${app}@${chains.alpha.chainId}:${NATIVE}`]: parseEther("0.0005")
      })
    }))

  it.effect("and the transfers are told by history, page and webhooks as they are on the exchange", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, exchangeUrl, fresh, key, state, url, wallet } = running
      const own = { "x-api-key": "app" }
      const told = yield* startTold(url, own)
      const recipient = openOn(state)
      const there = yield* quote(url, bodyOf(running, PERPS, recipient, 4), own)
      const back = yield* quoteExchangeB(
        url,
        fromExchangeB(wallet, fresh(), [chains.alpha.chainId, NATIVE], [SPOT, 25n * USD]),
        own
      )
      yield* execute(chains.alpha, key(4), there)
      const hash = yield* deposit(exchangeUrl, wallet, back)
      const arrived = yield* assertTold(told, there, "outTxs", rowOf(state, "solver"))
      assert.strictEqual(arrived.recipient, `${recipient}`)
      const left = yield* assertTold(told, back, "inTxs", rowOf(state, "user"))
      assert.strictEqual(left.user, `${USER}`)
      assert.deepStrictEqual(left.data.inTxs.map((each) => each.hash), [hash])
    }).pipe(Effect.scoped))
})
