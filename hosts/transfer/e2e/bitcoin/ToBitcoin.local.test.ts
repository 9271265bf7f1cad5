/**
 * Payments on Bitcoin through a host: fills of transfers from an EVM chain, and refunds of deposits on Bitcoin, each
 * one transaction with the order's note, settled on the hub by a real oracle.
 */
import { assert, layer } from "@effect/vitest"
import { networks, payments } from "bitcoinjs-lib"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { pushedData } from "../../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { broadcast, fromBitcoin, quoteBitcoin, signedBy } from "../../testing/BitcoinClient.ts"
import { BTC, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, postQuote, quote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

class Running extends fixtureOf<Running>()(
  "test/ToBitcoin",
  startFixture(Effect.flatMap(startBitcoinNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"

/** Blocks come while this runs. */
const whileMining = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Running,
    ({ bitcoin }) => Effect.raceFirst(body, slowingBlocks(bitcoin.mine()))
  )

/** The transaction on Bitcoin, and what its only note says. */
const paidBy = Effect.fnUntraced(function*(id: string | undefined) {
  const { bitcoin } = yield* Running
  const transaction = bitcoin.chain.ledger.transaction(id ?? "") ?? assert.fail(`no transaction ${id}`)
  const notes = transaction.outs.flatMap(({ script }) => pushedData(script) ?? [])
  assert.lengthOf(notes, 1)
  return { transaction, note: Buffer.from(notes[0] ?? []).toString("utf8") }
})

/** An address that nobody has used. */
const newAddress = (kind: "P2WSH" | "P2WPKH"): string => {
  const network = networks.regtest
  const { address } = kind === "P2WPKH"
    ? payments.p2wpkh({ hash: new Uint8Array(randomBytes(20)), network })
    : payments.p2wsh({ hash: new Uint8Array(randomBytes(32)), network })
  return address ?? assert.fail(`no ${kind} address`)
}

layer(Running.layer, { excludeTestServices: true })("payments on Bitcoin", (it) => {
  it.effect(
    "are bitcoin for ether, to the unit, to any kind of address, one transaction an order, and settle",
    () =>
      Effect.gen(function*() {
        const { chains, heldOnBitcoin, key, url, user } = yield* Running
        const made = yield* whileMining(
          Effect.forEach(["P2WPKH", "P2WSH"] as const, (kind, index) =>
            Effect.gen(function*() {
              const recipient = newAddress(kind)
              const quoted = yield* quote(url, {
                user: user(index),
                recipient,
                originChainId: chains.alpha.chainId,
                destinationChainId: bitcoinChainId,
                originCurrency: NATIVE,
                destinationCurrency: BTC,
                amount: `${parseEther("0.5")}`,
                tradeType: "EXACT_INPUT"
              })
              yield* execute(chains.alpha, key(index), quoted)
              const ended = yield* endedAnywhere(url, quoted)
              const [settlement] = yield* settled(url, orderIdOf(quoted), 1)
              return { ended, quoted, recipient, settlement }
            }), { concurrency: "unbounded" })
        )
        for (const { ended, quoted, recipient, settlement } of made) {
          assert.strictEqual(ended.status, "success")
          assert.strictEqual(settlement?.inTxHash, ended.inTxHashes[0])
          const { note } = yield* paidBy(ended.txHashes[0])
          assert.strictEqual(note, orderIdOf(quoted))
          assert.strictEqual(heldOnBitcoin(recipient), BigInt(quoted.details.currencyOut.amount))
        }
      }),
    shows("bitcoin-vm", "transfers to")
  )

  it.effect(
    "are refunds of deposits on Bitcoin, less the fee, and settle as such",
    () =>
      Effect.gen(function*() {
        const { bitcoin, chains, fresh, heldOnBitcoin, url, wallet } = yield* Running
        const sender = yield* wallet("P2WPKH", 9_000_000n)
        const refundTo = newAddress("P2WPKH")
        const recipient = fresh()
        const body = fromBitcoin(sender, recipient, [chains.alpha.chainId, NATIVE], 5_000_000n, {
          referrer: "force-refund",
          refundOnOrigin: true,
          refundTo
        })
        const quoted = yield* quoteBitcoin(url, body)
        const signed = signedBy(sender, quoted)
        const order = Buffer.from(signed.outs.flatMap(({ script }) => pushedData(script) ?? [])[0] ?? [])
          .toString() as Hex
        const id = yield* broadcast(bitcoin.explorerUrl, signed)
        const { ended, settlement } = yield* whileMining(Effect.gen(function*() {
          const done = yield* endedAnywhere(url, quoted)
          const [found] = yield* settled(url, order, 1)
          return { ended: done, settlement: found }
        }))
        assert.deepInclude(ended, { status: "refund", inTxHashes: [id] })
        assert.strictEqual(settlement?.inTxHash, id)
        const { note } = yield* paidBy(ended.txHashes[0])
        assert.strictEqual(note, order)
        const returned = heldOnBitcoin(refundTo)
        // The fee of a transaction of a few hundred bytes, at 2 satoshi each.
        assert.isTrue(returned < 5_000_000n && returned > 5_000_000n - 2_000n, `${returned}`)
      }),
    shows("bitcoin-vm", "refunds")
  )

  it.effect("are refused where no node would relay them, and to the account that pays", () =>
    Effect.gen(function*() {
      const { bitcoinSolver: { address: solver }, chains, fresh, url, user } = yield* Running
      const toBitcoin = {
        user: user(5),
        recipient: newAddress("P2WSH"),
        originChainId: chains.alpha.chainId,
        destinationChainId: bitcoinChainId,
        originCurrency: NATIVE,
        destinationCurrency: BTC,
        amount: "300",
        tradeType: "EXACT_OUTPUT"
      }
      const answer = yield* postQuote(url, toBitcoin)
      assert.strictEqual(answer.status, 400, answer.text)
      assert.include(answer.text, "AMOUNT_TOO_LOW")
      const itself = yield* postQuote(url, { ...toBitcoin, recipient: solver, amount: "300000" })
      assert.strictEqual(itself.status, 400, itself.text)
      assert.include(itself.text, "INVALID_RECIPIENT")
      const back = fromBitcoin({ address: newAddress("P2WPKH") }, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n, {
        refundTo: solver,
        useDepositAddress: true
      })
      const refunded = yield* postQuote(url, back)
      assert.strictEqual(refunded.status, 400, refunded.text)
      assert.include(refunded.text, "INVALID_ADDRESS")
    }))
})
