/**
 * Who pays the fees of transfers from and to Bitcoin, and how they are told: a sponsor, who also pays what the
 * transaction on Bitcoin costs; app fees, which are booked once; history, page and webhooks.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther, toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import type { Bitcoin } from "../../../localnet/nodes/bitcoin/Bitcoin.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { requestsOf } from "../../testing/Addressed.ts"
import { bitcoinAddressFor, payBitcoin } from "../../testing/BitcoinAddressed.ts"
import { BitcoinQuote, deposited, fromBitcoin } from "../../testing/BitcoinClient.ts"
import { BTC, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, postQuote, QuoteAnswer, reader } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { keyOf as sponsorKeyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { microsOf, sponsorPaid } from "../../testing/SponsorPaid.ts"
import { assertTold, startTold } from "../../testing/Told.ts"

const BALANCE = 50_000_000n
const NATIVE = "0x0000000000000000000000000000000000000000"
/** Micro-USDC of a satoshi, at the local network's price. */
const OF_A_SATOSHI = 600n

/** The flat part of an execution, micro-USDC (PRICE-3). */
const FLAT = 20_000n

const sponsor = (n: number): TestSponsor => ({
  id: `bitcoin-sponsor-${n}`,
  wallet: toHex(0x5b7_0000 + n, { size: 20 }),
  balance: BALANCE
})

const Sponsored = Schema.Struct({ feeSponsorship: SponsoredQuote.fields.feeSponsorship })

class Running extends fixtureOf<Running>()(
  "test/BitcoinFees",
  startFixture(startBitcoinNetwork, { sponsors: [sponsor(1), sponsor(2), sponsor(3)], keys: ["app"] })
) {}

/** Blocks come while this runs. */
const whileMining = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Running,
    ({ bitcoin }) => Effect.raceFirst(body, slowingBlocks(bitcoin.mine()))
  )

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

/** Half an ether for bitcoin. */
const toBitcoin = Effect.fnUntraced(function*(index: number, recipient: string, changes: object) {
  const { chains, user } = yield* Running
  return {
    user: user(index),
    recipient,
    originChainId: chains.alpha.chainId,
    destinationChainId: bitcoinChainId,
    originCurrency: NATIVE,
    destinationCurrency: BTC,
    amount: `${parseEther("0.5")}`,
    tradeType: "EXACT_INPUT",
    ...changes
  }
})

const quoted = Effect.fnUntraced(
  function*<A, E>(schema: Schema.Codec<A, E>, body: object, headers: Readonly<Record<string, string>> = {}) {
    const { url } = yield* Running
    const answer = yield* postQuote(url, body, headers)
    assert.strictEqual(answer.status, 200, answer.text)
    return yield* Schema.decodeUnknownEffect(schema)(answer.json())
  }
)

/** The row of a transaction, by the chain itself. The history has the fees that the solver paid. */
const rowOf = ({ chain: { ledger } }: Pick<Bitcoin, "chain">, payer: "solver" | "user") => (hash: string) => {
  const { block, height } = ledger.confirmedIn(hash) ?? assert.fail(`${hash} is in no block`)
  const transaction = ledger.transaction(hash) ?? assert.fail(`no transaction ${hash}`)
  const fee = payer === "solver" ? `${ledger.feeOf(transaction)}` : null
  return { hash, chainId: bitcoinChainId, block: height, timestamp: block.timestamp, fee }
}

layer(Running.layer, { excludeTestServices: true })("the fees of transfers with Bitcoin", (it) => {
  it.effect("to Bitcoin are paid by a sponsor, with what the transaction there costs, at most what was quoted", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { bitcoin, chains, heldOnBitcoin, key, url } = running
      const recipient = newAddress()
      const body = yield* toBitcoin(0, recipient, { subsidizeFees: true })
      const asked = yield* quoted(SponsoredQuote, body, sponsorKeyOf(sponsor(1)))
      yield* execute(chains.alpha, key(0), asked)
      const ended = yield* whileMining(endedAnywhere(url, asked))
      assert.strictEqual(ended.status, "success")
      assert.strictEqual(heldOnBitcoin(recipient), BigInt(asked.details.currencyOut.amount))
      const { components, sponsorPayment } = yield* whileMining(sponsorPaid(running, sponsor(1), asked))
      const { ledger } = bitcoin.chain
      const fee = ledger.feeOf(ledger.transaction(ended.txHashes[0] ?? "") ?? assert.fail("no fill")) ?? 0n
      assert.isTrue(fee > 0n)
      const executed = microsOf(components["execution"])
      assert.strictEqual(executed, fee * OF_A_SATOSHI + FLAT)
      const { components: before, sponsoredTotal } = asked.feeSponsorship.quoted
      assert.isTrue(executed <= microsOf(before["execution"]))
      assert.isTrue(BigInt(sponsorPayment.amount) <= BigInt(sponsoredTotal.amount))
    }))

  it.effect("from Bitcoin are paid by a sponsor, except the user's own transaction", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { bitcoin, chains, fresh, url, wallet } = running
      const [sender, recipient] = [yield* wallet("P2WPKH", 9_000_000n), fresh()]
      const body = fromBitcoin(sender, recipient, [chains.alpha.chainId, NATIVE], 5_000_000n, { subsidizeFees: true })
      const asked = yield* quoted(BitcoinQuote, body, sponsorKeyOf(sponsor(2)))
      yield* deposited(bitcoin, sender, asked)
      assert.strictEqual((yield* whileMining(endedAnywhere(url, asked))).status, "success")
      const balance = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
      assert.strictEqual(balance, BigInt(asked.details.currencyOut.amount))
      const { sponsorPayment } = yield* whileMining(sponsorPaid(running, sponsor(2), asked))
      assert.isTrue(BigInt(sponsorPayment.amount) > 0n)
    }))

  it.effect("at a deposit address are paid by a sponsor, with what the sweep costs, for the first deposit alone", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { bitcoin, chains, fresh, store, url } = running
      const recipient = fresh()
      const body = fromBitcoin({ address: newAddress() }, recipient, [chains.alpha.chainId, NATIVE], 5_000_000n, {
        subsidizeFees: true,
        refundTo: newAddress()
      })
      const { answer, depositAddress, quoted: asked } = yield* bitcoinAddressFor(url, body, sponsorKeyOf(sponsor(3)))
      const { feeSponsorship } = yield* Schema.decodeUnknownEffect(Sponsored)(answer)
      const etherOf = Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
      yield* payBitcoin(bitcoin, depositAddress, 5_000_000n)
      assert.strictEqual((yield* whileMining(endedAnywhere(url, asked))).status, "success")
      const [got, promised] = [yield* etherOf, BigInt(asked.details.currencyOut.amount)]
      // Whole, at the price of the sweep's block.
      assert.isTrue(got * 100n > promised * 99n && got * 100n < promised * 101n, `${got} of ${promised}`)
      const { components, sponsorPayment } = yield* whileMining(sponsorPaid(running, sponsor(3), asked))
      const { ledger } = bitcoin.chain
      const [fee = assert.fail("no sweep")] = ledger.idsOf(depositAddress).flatMap((id) => {
        const transaction = ledger.transaction(id) ?? assert.fail("no transaction")
        // The sweep spends what came.
        return transaction.ins.length > 1 ? [ledger.feeOf(transaction) ?? 0n] : []
      })
      const [executed, most] = [
        microsOf(components["execution"]),
        microsOf(feeSponsorship.quoted.components["execution"])
      ]
      // At most what was quoted. The solver bears what it costs to split its own change.
      assert.isTrue(
        fee > 0n && executed <= most && executed * 10n > fee * OF_A_SATOSHI * 9n,
        `${executed} of ${most} for a sweep of ${fee}`
      )
      const total = microsOf({ total: feeSponsorship.quoted.sponsoredTotal })
      assert.isTrue(BigInt(sponsorPayment.amount) <= total, `${sponsorPayment.amount} of ${total}`)

      const left = BALANCE - BigInt(sponsorPayment.amount)
      yield* payBitcoin(bitcoin, depositAddress, 5_000_000n)
      yield* whileMining(
        eventually(
          "a later deposit is filled",
          requestsOf(url, depositAddress),
          (found) => found.length === 2 && found.every(({ status }) => status === "success")
        )
      )
      const later = (yield* etherOf) - got
      assert.isTrue(later > 0n && later < got, `${later} after ${got}`)
      assert.strictEqual((yield* ledgerOf(store))[`Wallet:${sponsor(3).wallet}`], left)
    }))

  it.effect("of apps are booked once for each deposit, to the unit, in its currency", () =>
    Effect.gen(function*() {
      const { bitcoin, chains, fresh, key, store, url, wallet } = yield* Running
      const app = fresh()
      const appFees = [{ recipient: app, fee: "100" }]
      const sender = yield* wallet("P2WPKH", 9_000_000n)
      const leaving = yield* quoted(
        BitcoinQuote,
        fromBitcoin(sender, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n, { appFees })
      )
      const arriving = yield* quoted(
        QuoteAnswer,
        yield* toBitcoin(1, newAddress(), { appFees })
      )
      yield* deposited(bitcoin, sender, leaving)
      yield* execute(chains.alpha, key(1), arriving)
      for (const asked of [leaving, arriving]) {
        assert.strictEqual((yield* whileMining(endedAnywhere(url, asked))).status, "success")
      }
      const booked = Effect.map(
        ledgerOf(store),
        (all) => Object.entries(all).filter(([account]) => account.startsWith(`AppFeePayable:${app}`))
      )
      const expected = {
        [`AppFeePayable:${app}@${bitcoinChainId}:${BTC}`]: 50_000n,
        [`AppFeePayable:${app}@${chains.alpha.chainId}:${NATIVE}`]: parseEther("0.005")
      }
      yield* whileMining(eventually("both are booked", booked, (found) => found.length === 2))
      assert.deepStrictEqual(Object.fromEntries(yield* booked), expected)
    }))

  it.effect("and the transactions are told by history, page and webhooks as they are on the chain", () =>
    Effect.gen(function*() {
      const { bitcoin, chains, fresh, key, url, wallet } = yield* Running
      const own = { "x-api-key": "app" }
      const told = yield* startTold(url, own)
      const [sender, recipient] = [yield* wallet("P2WPKH", 9_000_000n), newAddress()]
      const there = yield* quoted(QuoteAnswer, yield* toBitcoin(2, recipient, {}), own)
      const body = fromBitcoin(sender, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n)
      const back = yield* quoted(BitcoinQuote, body, own)
      yield* execute(chains.alpha, key(2), there)
      const deposit = yield* deposited(bitcoin, sender, back)
      const arrived = yield* whileMining(assertTold(told, there, "outTxs", rowOf(bitcoin, "solver")))
      assert.strictEqual(arrived.recipient, recipient)
      const left = yield* whileMining(assertTold(told, back, "inTxs", rowOf(bitcoin, "user")))
      assert.strictEqual(left.user, sender.address)
      assert.deepStrictEqual(left.data.inTxs.map(({ hash }) => hash), [deposit])
    }).pipe(Effect.scoped))
})
