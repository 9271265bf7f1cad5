/**
 * What comes late on Bitcoin: a deposit that waited for a block for a day, deposits whose order has ended, by step and
 * at an address, and money at an address whose quote was dropped. A reindex that is asked again changes nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { Hex } from "viem"
import type { Wallet } from "../../../../src/domain/families/bitcoin/steps/testing/Wallets.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { reindex } from "../../testing/Addressed.ts"
import { changeBeside } from "../../testing/BesideStore.ts"
import { bitcoinAddressFor, payBitcoin } from "../../testing/BitcoinAddressed.ts"
import { deposited, fromBitcoin, quoteBitcoin } from "../../testing/BitcoinClient.ts"
import type { BitcoinQuote } from "../../testing/BitcoinClient.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { reader } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const SOME = 5_000_000n

/** More than the fee of a refund and of a sweep at the local rate, far less than what is sent. */
const FEES = 5_000n

const DAY = 24 * 3_600
/** A quote's price is older, and its order has not ended. */
const A_DAY = { quoted: DAY, deadline: DAY }
/** The order has ended, and its quote is not old enough to be deleted. */
const ENDED = { quoted: DAY, deadline: 8 * DAY }
/** Quotes of unpaid addresses are dropped after a fortnight. */
const DROPPED = { quoted: 40 * DAY, deadline: 40 * DAY }

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

const requestOf = ({ steps }: BitcoinQuote): string => steps[0]?.requestId ?? assert.fail("no step")

/** Moves a request of a store that no host owns into the past, by seconds. */
const age = (url: string, quoted: BitcoinQuote, by: { readonly quoted: number; readonly deadline: number }) =>
  changeBeside(url, (store) => {
    const id = requestOf(quoted)
    const row = store.prepare("SELECT order_json FROM transfers WHERE id = ?").get(id)
    const order = String(row?.["order_json"]).replaceAll(
      /"deadline":(\d+)/g,
      (_, deadline: string) => `"deadline":${Number(deadline) - by.deadline}`
    )
    const milliseconds = by.quoted * 1_000
    store.prepare("UPDATE transfers SET order_json = ?, quoted_at = quoted_at - ? WHERE id = ?")
      .run(order, milliseconds, id)
    store.prepare(
      "UPDATE deposit_addresses SET created_at = created_at - ?, touched_at = touched_at - ? WHERE request_id = ?"
    ).run(milliseconds, milliseconds, id)
  })

/** An address may be reindexed once a minute: one passes. */
const passMinute = (url: string) =>
  changeBeside(url, (store) => {
    store.exec("UPDATE deposit_address_reindexes SET last_at = last_at - 60000")
  })

describe("what comes late on Bitcoin", () => {
  it.live("is filled while its order lasts, and goes back afterwards, also from an address whose quote was dropped", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startBitcoinNetwork
      const { bitcoin, chains, fresh, heldOnBitcoin, startInstance, store, wallet } = network
      const etherOf = (account: Hex) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account }))
      const whileMining = <A, E, R>(body: Effect.Effect<A, E, R>) =>
        Effect.raceFirst(body, slowingBlocks(bitcoin.mine()))
      const before = yield* startInstance()

      /** A deposit by step, which then waits in the mempool. */
      const waiting = Effect.fnUntraced(function*(sender: Wallet) {
        const [recipient, refundTo] = [fresh(), newAddress()]
        const body = fromBitcoin(sender, recipient, [chains.alpha.chainId, NATIVE], SOME, { refundTo })
        const quoted = yield* quoteBitcoin(before.url, body)
        yield* deposited(bitcoin, sender, quoted)
        return { quoted, recipient, refundTo }
      })
      const addressed = Effect.fnUntraced(function*(changes: object) {
        const recipient = fresh()
        const body = fromBitcoin({ address: newAddress() }, recipient, [chains.alpha.chainId, NATIVE], SOME, changes)
        return { ...yield* bitcoinAddressFor(before.url, body), recipient }
      })
      const [one, other] = [yield* wallet("P2WPKH", 9_000_000n), yield* wallet("P2PKH", 9_000_000n)]
      const [overnight, ended] = [yield* waiting(one), yield* waiting(other)]
      const [back, home, recovery] = [newAddress(), newAddress(), newAddress()]
      const endedThere = yield* addressed({ strict: true, refundTo: back })
      const dropped = yield* addressed({ refundTo: home })
      const recovered = yield* addressed({ recoveryAddress: recovery })
      for (const { quoted } of [overnight, ended]) {
        assert.deepInclude(yield* statusAnywhere(before.url, quoted), { status: "waiting", inTxHashes: [] })
      }
      yield* before.stop
      yield* age(store, overnight.quoted, A_DAY)
      for (const { quoted } of [ended, endedThere]) yield* age(store, quoted, ENDED)
      for (const { quoted } of [dropped, recovered]) yield* age(store, quoted, DROPPED)

      const { url } = yield* startInstance({
        DROPPED_ADDRESS_REFUNDS_USD: "100000",
        UNATTESTED_REFUNDS_USD: "100000"
      })
      for (const { requestId } of [dropped, recovered]) {
        yield* eventually(
          "its quote is dropped",
          get(`${url}/deposit-addresses?requestId=${requestId}`),
          ({ status }) => status === 404
        )
      }
      for (const { depositAddress } of [endedThere, dropped, recovered]) {
        yield* payBitcoin(bitcoin, depositAddress, SOME)
      }
      yield* bitcoin.mine(FINAL_AFTER + 1)
      // Addresses of so long ago are hardly looked at by themselves.
      const askAll = Effect.forEach([endedThere, dropped, recovered], ({ depositAddress }) =>
        Effect.gen(function*() {
          const answer = yield* reindex(url, { chainId: bitcoinChainId, depositAddress })
          assert.strictEqual(answer.status, 200, answer.text)
          return answer.json()
        }))
      const found = { triggeredCurrencies: [{ currency: BTC, symbol: "BTC", balance: `${SOME}` }] }
      for (const answer of yield* askAll) assert.deepInclude(answer, { message: "1 withdrawal queued", ...found })
      // Asked again: the sweeps are signed, or wait for a block and have spent the coins.
      yield* passMinute(store)
      for (const answer of yield* askAll) {
        const { message } = answer as { readonly message: string }
        assert.match(message, /^(?:0 withdrawals queued|nothing more lies at the deposit address); 1 queued before$/u)
      }

      const filled = yield* whileMining(endedAnywhere(url, overnight.quoted))
      assert.strictEqual(filled.status, "success")
      const [got, promised] = [
        yield* etherOf(overnight.recipient),
        BigInt(overnight.quoted.details.currencyOut.amount)
      ]
      assert.isTrue(got * 100n > promised * 99n && got * 100n < promised * 101n, `${got} of ${promised}`)
      for (const { quoted } of [ended, endedThere]) {
        const end = yield* whileMining(endedAnywhere(url, quoted))
        assert.deepStrictEqual([end.status, end.failReason], ["refund", "ORDER_EXPIRED"])
      }
      for (const refundTo of [ended.refundTo, back, home, recovery]) {
        const held = yield* whileMining(
          eventually("it is back", Effect.sync(() => heldOnBitcoin(refundTo)), (units) => units > 0n)
        )
        assert.isTrue(held < SOME && held > SOME - FEES, `${held}`)
      }
      // Each once, however long it goes on and however often it is asked.
      yield* passMinute(store)
      for (const answer of yield* askAll) assert.deepInclude(answer, { triggeredCurrencies: [], failedCurrencies: 0 })
      yield* bitcoin.mine(FINAL_AFTER + 1)
      for (const refundTo of [ended.refundTo, back, home, recovery]) {
        assert.lengthOf(bitcoin.chain.ledger.idsOf(refundTo), 1)
      }
      for (const { depositAddress } of [endedThere, dropped, recovered]) {
        assert.lengthOf(bitcoin.chain.ledger.idsOf(depositAddress), 2)
        assert.strictEqual(heldOnBitcoin(depositAddress), 0n)
      }
      for (const { recipient } of [ended, endedThere, dropped, recovered]) {
        assert.strictEqual(yield* etherOf(recipient), 0n)
      }
    })))
})
