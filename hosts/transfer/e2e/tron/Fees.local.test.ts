/**
 * Who pays the fees of transfers from and to Tron, and how they are told: a sponsor, who also pays what the transaction
 * on Tron burns; app fees, which are booked once; history, page and webhooks.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther, toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import type { Tron } from "../../../localnet/nodes/tron/Tron.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { execute, postQuote, quote, reader } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { keyOf as sponsorKeyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { microsOf, sponsorPaid } from "../../testing/SponsorPaid.ts"
import { assertTold, startTold } from "../../testing/Told.ts"
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
const executed = ({ chain: { ledger } }: Pick<Tron, "chain">, id: string | undefined) =>
  ledger.placeOf(id ?? "") ?? assert.fail(`no transaction ${id}`)

/** The row of a transaction on Tron, by the chain itself. The history has the fees that the solver paid. */
const rowOf = (tron: Pick<Tron, "chain">, payer: "solver" | "user") => (hash: string) => {
  const { block, executed: { fee } } = executed(tron, hash)
  return {
    hash,
    chainId: TRON_CHAIN_ID,
    block: block.number,
    timestamp: block.timestamp / 1_000,
    fee: payer === "solver" ? `${fee}` : null
  }
}

layer(Running.layer, { excludeTestServices: true })("the fees of transfers with Tron", (it) => {
  it.effect("to Tron are paid by a sponsor, with all that the transaction there burns, at most what was quoted", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, heldOnTron, key, tron, url, user, whileMining } = running
      // TRX with a memo to an account that it creates; a token by a call.
      for (const [n, currency] of [[1, TRX], [2, usdt]] as const) {
        const recipient = newTronAddress()
        const body = toTron(user(n), recipient, chains.alpha.chainId, currency, { subsidizeFees: true })
        const answer = yield* postQuote(url, body, sponsorKeyOf(sponsor(n)))
        assert.strictEqual(answer.status, 200, answer.text)
        const asked = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
        yield* execute(chains.alpha, key(n), asked)
        const { ended, paid } = yield* whileMining(
          Effect.all({ ended: endedAnywhere(url, asked), paid: sponsorPaid(running, sponsor(n), asked) })
        )
        assert.strictEqual(ended.status, "success")
        assert.strictEqual(yield* heldOnTron(currency, recipient), BigInt(asked.details.currencyOut.amount))
        const { executed: { fee } } = executed(tron, ended.txHashes[0])
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
      const { chains, fresh, heldOnTron, tron, url, wallet, whileMining } = running
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
      const { executed: { fee } } = executed(tron, id)
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
      const { chains, fresh, key, tron, url, user, wallet, whileMining } = yield* Running
      const own = { "x-api-key": "app" }
      const told = yield* startTold(url, own)
      const recipient = newTronAddress()
      const there = yield* quote(url, toTron(user(4), recipient, chains.alpha.chainId, TRX), own)
      const body = fromTron(wallet, fresh(), [chains.alpha.chainId, NATIVE], [usdt, 25n * ONE])
      const back = yield* quoteTron(url, body, own)
      yield* execute(chains.alpha, key(4), there)
      const deposit = yield* carriedOut(wallet, back)
      const arrived = yield* whileMining(assertTold(told, there, "outTxs", rowOf(tron, "solver")))
      assert.strictEqual(arrived.recipient, recipient)
      const left = yield* whileMining(assertTold(told, back, "inTxs", rowOf(tron, "user")))
      assert.strictEqual(left.user, wallet.key.address)
      assert.deepStrictEqual(left.data.inTxs.map(({ hash }) => hash), [deposit])
    }).pipe(Effect.scoped))
})
