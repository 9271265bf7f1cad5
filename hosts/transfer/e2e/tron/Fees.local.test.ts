/**
 * Who pays the fees of transfers from and to Tron, and how they are told: a sponsor, who also pays what the transaction
 * on Tron burns; app fees, which are booked once; history, page and webhooks.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther, toHex } from "viem"
import { verifyWebhook } from "../../../../src/domain/webhook/VerifyWebhook.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { execute, post, quote, reader } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { startReceiver } from "../../testing/Receiver.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { keyOf as sponsorKeyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { microsOf, sponsorPaid } from "../../testing/SponsorPaid.ts"
import { carriedOut, fromTron, quoteTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const BALANCE = 50_000_000n
const NATIVE = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n
/** The flat part of an execution, micro-USDC (PRICE-3). */
const FLAT = 20_000n

/** A sun is 0.3 micro-dollars at the local network's price. */
const microsOfSun = (sun: bigint): bigint => (sun * 3n + 9n) / 10n

const sponsor = (n: number): TestSponsor => ({
  id: `tron-sponsor-${n}`,
  wallet: toHex(0x5b8_0000 + n, { size: 20 }),
  balance: BALANCE
})

class Running extends fixtureOf<Running>()(
  "test/TronFees",
  startFixture(startTronNetwork, { sponsors: [sponsor(1), sponsor(2), sponsor(3)], keys: ["app"] })
) {}

/** A transaction in a block. */
const executed = Effect.fnUntraced(function*(id: string | undefined) {
  const { tron } = yield* Running
  return tron.chain.ledger.placeOf(id ?? "") ?? assert.fail(`no transaction ${id}`)
})

const Row = Schema.Struct({
  hash: Schema.String,
  chainId: Schema.Int,
  block: Schema.NullOr(Schema.Int),
  timestamp: Schema.NullOr(Schema.Int),
  fee: Schema.NullOr(Schema.String)
})
const Listed = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    id: Schema.String,
    user: Schema.String,
    recipient: Schema.String,
    data: Schema.Struct({ inTxs: Schema.Array(Row), outTxs: Schema.Array(Row) })
  }))
})

const listed = Effect.fnUntraced(function*(query: string) {
  const { url } = yield* Running
  return (yield* Schema.decodeUnknownEffect(Listed)((yield* get(`${url}/requests?${query}`)).json())).requests
})

/** The row of a transaction on Tron, by the chain itself. The history has the fees that the solver paid. */
const rowOf = Effect.fnUntraced(function*(hash: string, payer: "solver" | "user") {
  const { block, executed: { fee } } = yield* executed(hash)
  return {
    hash,
    chainId: TRON_CHAIN_ID,
    block: block.number,
    timestamp: block.timestamp / 1_000,
    fee: payer === "solver" ? `${fee}` : null
  }
})

layer(Running.layer, { excludeTestServices: true })("the fees of transfers with Tron", (it) => {
  it.effect("to Tron are paid by a sponsor, with all that the transaction there burns, at most what was quoted", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, heldOnTron, key, url, user, whileMining } = running
      // TRX with a memo to an account that it creates; a token by a call.
      for (const [n, currency] of [[1, TRX], [2, usdt]] as const) {
        const recipient = newTronAddress()
        const body = toTron(user(n), recipient, chains.alpha.chainId, currency, { subsidizeFees: true })
        const answer = yield* post(`${url}/quote`, body, sponsorKeyOf(sponsor(n)))
        assert.strictEqual(answer.status, 200, answer.text)
        const asked = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
        yield* execute(chains.alpha, key(n), asked)
        const { ended, paid } = yield* whileMining(
          Effect.all({ ended: endedAnywhere(url, asked), paid: sponsorPaid(running, sponsor(n), asked) })
        )
        assert.strictEqual(ended.status, "success")
        assert.strictEqual(yield* heldOnTron(currency, recipient), BigInt(asked.details.currencyOut.amount))
        const { executed: { fee } } = yield* executed(ended.txHashes[0])
        if (currency === TRX) assert.strictEqual(fee, 2_100_000n, "a memo and a new account")
        const spent = microsOf(paid.components["execution"])
        assert.strictEqual(spent, microsOfSun(fee) + FLAT)
        const { components: before, sponsoredTotal } = asked.feeSponsorship.quoted
        assert.isTrue(spent <= microsOf(before["execution"]))
        assert.isTrue(BigInt(paid.sponsorPayment.amount) <= BigInt(sponsoredTotal.amount))
      }
    }))

  it.effect("from Tron are paid by a sponsor, except the user's own transaction", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, fresh, heldOnTron, url, wallet, whileMining } = running
      const recipient = fresh()
      const body = fromTron(wallet, recipient, [chains.alpha.chainId, NATIVE], [TRX, 100n * ONE], {
        subsidizeFees: true
      })
      const before = yield* heldOnTron(TRX, wallet.key.address)
      const asked = yield* quoteTron(url, body, sponsorKeyOf(sponsor(3)))
      const id = yield* carriedOut(wallet, asked)
      const { ended, paid } = yield* whileMining(
        Effect.all({ ended: endedAnywhere(url, asked), paid: sponsorPaid(running, sponsor(3), asked) })
      )
      assert.deepInclude(ended, { status: "success", inTxHashes: [id] })
      const balance = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
      assert.strictEqual(balance, BigInt(asked.details.currencyOut.amount))
      const { executed: { fee } } = yield* executed(id)
      assert.strictEqual(before - (yield* heldOnTron(TRX, wallet.key.address)), 100n * ONE + fee)
      assert.isTrue(BigInt(paid.sponsorPayment.amount) > 0n)
    }))

  it.effect("of apps are booked once for each deposit, to the unit, in its currency", () =>
    Effect.gen(function*() {
      const { chains, fresh, key, other, store, url, user, whileMining } = yield* Running
      const app = fresh()
      const appFees = [{ recipient: app, fee: "100" }]
      const leaving = yield* Effect.forEach([TRX, usdt], (currency) =>
        Effect.gen(function*() {
          const quoted = yield* quoteTron(
            url,
            fromTron(other, fresh(), [chains.alpha.chainId, NATIVE], [currency, 50n * ONE], { appFees })
          )
          yield* carriedOut(other, quoted)
          return quoted
        }))
      const arriving = yield* quote(url, toTron(user(3), newTronAddress(), chains.alpha.chainId, usdt, { appFees }))
      yield* execute(chains.alpha, key(3), arriving)
      for (const asked of [...leaving, arriving]) {
        assert.strictEqual((yield* whileMining(endedAnywhere(url, asked))).status, "success")
      }
      const booked = Effect.map(
        ledgerOf(store),
        (all) => Object.entries(all).filter(([account]) => account.startsWith(`AppFeePayable:${app}`))
      )
      yield* whileMining(eventually("all are booked", booked, (found) => found.length === 3))
      assert.deepStrictEqual(Object.fromEntries(yield* booked), {
        [`AppFeePayable:${app}@${TRON_CHAIN_ID}:${TRX}`]: 500_000n,
        [`AppFeePayable:${app}@${TRON_CHAIN_ID}:${usdt}`]: 500_000n,
        [`AppFeePayable:${app}@${chains.alpha.chainId}:${NATIVE}`]: parseEther("0.0005")
      })
    }))

  it.effect("and the transactions are told by history, page and webhooks as they are on the chain, in Tron's spelling", () =>
    Effect.gen(function*() {
      const { chains, fresh, key, url, user, wallet, whileMining } = yield* Running
      const receiver = yield* startReceiver()
      const own = { "x-api-key": "app" }
      const made = yield* post(`${url}/webhooks`, { url: receiver.url }, own)
      assert.strictEqual(made.status, 200, made.text)
      const { secret } = yield* Schema.decodeUnknownEffect(Schema.Struct({ secret: Schema.String }))(made.json())
      const recipient = newTronAddress()
      const there = yield* quote(url, toTron(user(4), recipient, chains.alpha.chainId, TRX), own)
      const back = yield* quoteTron(
        url,
        fromTron(wallet, fresh(), [chains.alpha.chainId, NATIVE], [usdt, 25n * ONE]),
        own
      )
      yield* execute(chains.alpha, key(4), there)
      const deposit = yield* carriedOut(wallet, back)
      for (const asked of [there, back]) {
        const requestId = asked.steps[0]?.requestId ?? ""
        const told = () => receiver.received.filter(({ json }) => json.id.startsWith(`${requestId}.`))
        yield* whileMining(
          eventually(
            "success is told",
            Effect.sync(told),
            (all) => all.some(({ json }) => json.data["status"] === "success")
          )
        )
        assert.deepStrictEqual(told().map(({ json }) => json.sequence), told().map((_, index) => index + 1))
        for (const { body, headers } of told()) {
          assert.deepStrictEqual(verifyWebhook({ body, headers, secrets: [secret], now: Date.now() }), { ok: true })
        }
        const status = (yield* get(`${url}/intents/status?requestId=${requestId}`)).json()
        assert.deepStrictEqual(told().at(-1)?.json.data, status)
        const [request] = yield* listed(`id=${requestId}`)
        if (request === undefined) return assert.fail("it is not in the history")
        const { inTxs, outTxs } = request.data
        assert.deepStrictEqual([inTxs.length, outTxs.length], [1, 1])
        const [shown, expected] = asked === there
          ? [outTxs[0], yield* rowOf(outTxs[0]?.hash ?? "", "solver")]
          : [inTxs[0], yield* rowOf(deposit, "user")]
        assert.deepStrictEqual(shown, expected)
        assert.deepStrictEqual((yield* listed(`txHash=${expected.hash}`)).map(({ id }) => id), [requestId])
        assert.strictEqual(
          asked === there ? request.recipient : request.user,
          asked === there ? recipient : wallet.key.address
        )
        const page = yield* get(`${url}/requests/${requestId}`, { headers: { accept: "text/html" } })
        // Ids are marked up in two pieces, so that a narrow screen can cut them.
        assert.include(page.text.replaceAll(/<[^>]*>/gu, ""), expected.hash)
      }
    }).pipe(Effect.scoped))
})
