/**
 * Who pays the fees of transfers from and to exchange A, and how they are told: a sponsor, who also pays what the
 * exchange takes for a new account; app fees, which are booked once; history, page and webhooks.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther, toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { EXCHANGE_A_CHAIN_ID } from "../../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import type { Book } from "../../../localnet/nodes/exchange-a/node/Book.ts"
import { execute, postQuote, quote, reader } from "../../testing/Client.ts"
import { authorize, deposit, fromExchangeA, quoteExchangeA } from "../../testing/ExchangeAClient.ts"
import type { ExchangeAQuote, ExchangeAWallet } from "../../testing/ExchangeAClient.ts"
import { startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { heldOnExchange, PERPS, requestTo, SPOT } from "../../testing/PaidOnExchangeA.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { keyOf as sponsorKeyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { microsOf, sponsorPaid } from "../../testing/SponsorPaid.ts"
import { assertTold, startTold } from "../../testing/Told.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const USD = 100_000_000n
/** Micro-USDC: what the exchange takes for a new account, and the flat part of an execution (PRICE-3). */
const [NEW_ACCOUNT, FLAT] = [1_000_000n, 20_000n]

const sponsor = (n: number): TestSponsor => ({
  id: `exchange-sponsor-${n}`,
  wallet: toHex(0xea8_0000 + n, { size: 20 }),
  balance: 50_000_000n
})

class Running extends fixtureOf<Running>()(
  "test/ExchangeAFees",
  startFixture(startExchangeANetwork, { sponsors: [sponsor(1), sponsor(2), sponsor(3)], keys: ["app"] })
) {}

/** The row of a transfer, by the exchange itself: its seconds take the place of blocks. */
const rowOf = (book: Book, payer: "solver" | "user") => (hash: string) => {
  const { fee = 0n, time } = book.transaction(hash) ?? assert.fail(`no transaction ${hash}`)
  const second = Math.floor(time / 1_000)
  return {
    hash,
    chainId: EXCHANGE_A_CHAIN_ID,
    block: second,
    timestamp: second,
    fee: payer === "solver" ? `${fee}` : null
  }
}

/** A quote's mapping and transfer. Returns the transfer's hash. */
const carriedOut = Effect.fnUntraced(function*(wallet: ExchangeAWallet, quoted: ExchangeAQuote) {
  const { book, exchangeUrl, url } = yield* Running
  assert.strictEqual((yield* authorize(url, wallet, quoted)).status, 200)
  assert.include((yield* deposit(exchangeUrl, wallet, quoted)).text, `"ok"`)
  return book.ofAccount(wallet.address)[0]?.hash ?? ""
})

layer(Running.layer, { excludeTestServices: true })("the fees of transfers with exchange A", (it) => {
  it.effect("to exchange A are paid by a sponsor, with the exchange's own for a new account, as quoted", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { book, chains, fresh, key, url } = running
      for (const [n, isNew] of [[1, true], [2, false]] as const) {
        const [recipient, currency] = [fresh(), isNew ? PERPS : SPOT]
        if (!isNew) book.credit(recipient, "", 1n)
        const body = { ...requestTo(running, [currency, recipient], n), subsidizeFees: true }
        const answer = yield* postQuote(url, body, sponsorKeyOf(sponsor(n)))
        assert.strictEqual(answer.status, 200, answer.text)
        const asked = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
        yield* execute(chains.alpha, key(n), asked)
        const ended = yield* endedAnywhere(url, asked)
        const paid = yield* sponsorPaid(running, sponsor(n), asked)
        assert.strictEqual(ended.status, "success")
        assert.strictEqual(heldOnExchange(book, currency, recipient), BigInt(asked.details.currencyOut.amount))
        const spent = microsOf(paid.components["execution"])
        assert.strictEqual(spent, FLAT + (isNew ? NEW_ACCOUNT : 0n))
        const { components, sponsoredTotal } = asked.feeSponsorship.quoted
        assert.isTrue(spent <= microsOf(components["execution"]))
        assert.isTrue(BigInt(paid.sponsorPayment.amount) <= BigInt(sponsoredTotal.amount))
      }
    }))

  it.effect("from exchange A are paid by a sponsor: the user pays the amount and nothing else", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { book, chains, fresh, url, wallet } = running
      const recipient = fresh()
      const body = fromExchangeA(wallet, recipient, [chains.alpha.chainId, NATIVE], [PERPS, 100n * USD], {
        subsidizeFees: true
      })
      const asked = yield* quoteExchangeA(url, body, sponsorKeyOf(sponsor(3)))
      const before = heldOnExchange(book, PERPS, wallet.address)
      const hash = yield* carriedOut(wallet, asked)
      assert.deepInclude(yield* endedAnywhere(url, asked), { status: "success", inTxHashes: [hash] })
      const paid = yield* sponsorPaid(running, sponsor(3), asked)
      const balance = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
      assert.strictEqual(balance, BigInt(asked.details.currencyOut.amount))
      assert.strictEqual(before - heldOnExchange(book, PERPS, wallet.address), 100n * USD)
      assert.isTrue(BigInt(paid.sponsorPayment.amount) > 0n)
    }))

  it.effect("of apps are booked once for each deposit, to the unit, in its currency", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, fresh, key, other, store, url } = running
      const app = fresh()
      const appFees = [{ recipient: app, fee: "100" }]
      const leaving = yield* Effect.forEach([PERPS, SPOT], (currency) =>
        Effect.gen(function*() {
          const quoted = yield* quoteExchangeA(
            url,
            fromExchangeA(other, fresh(), [chains.alpha.chainId, NATIVE], [currency, 50n * USD], { appFees })
          )
          yield* carriedOut(other, quoted)
          return quoted
        }))
      const arriving = yield* quote(url, { ...requestTo(running, [SPOT, fresh()], 3), appFees })
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
        [`AppFeePayable:${app}@${EXCHANGE_A_CHAIN_ID}:${PERPS}`]: USD / 2n,
        [`AppFeePayable:${app}@${EXCHANGE_A_CHAIN_ID}:${SPOT}`]: USD / 2n,
        [`AppFeePayable:${app}@${chains.alpha.chainId}:${NATIVE}`]: parseEther("0.0005")
      })
    }))

  it.effect("and the transfers are told by history, page and webhooks as they are on the exchange", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, fresh, key, url, wallet } = running
      const own = { "x-api-key": "app" }
      const told = yield* startTold(url, own)
      const recipient = fresh()
      const there = yield* quote(url, requestTo(running, [PERPS, recipient], 4), own)
      const back = yield* quoteExchangeA(
        url,
        fromExchangeA(wallet, fresh(), [chains.alpha.chainId, NATIVE], [SPOT, 25n * USD]),
        own
      )
      yield* execute(chains.alpha, key(4), there)
      const deposited = yield* carriedOut(wallet, back)
      const arrived = yield* assertTold(told, there, "outTxs", rowOf(running.book, "solver"))
      assert.strictEqual(arrived.recipient.toLowerCase(), recipient.toLowerCase())
      const left = yield* assertTold(told, back, "inTxs", rowOf(running.book, "user"))
      assert.strictEqual(left.user.toLowerCase(), wallet.address.toLowerCase())
      assert.deepStrictEqual(left.data.inTxs.map(({ hash }) => hash), [deposited])
    }).pipe(Effect.scoped))
})
