/**
 * A service with Bitcoin whose store was restored from a backup, after a SIGKILL: payments since the backup are found,
 * those in no block can never be in one, also when the explorer hides their coins, and each order is paid once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { dirname, join } from "node:path"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { readStoredForm } from "../../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { requestsOf } from "../../testing/Addressed.ts"
import { rowsBeside } from "../../testing/BesideStore.ts"
import { bitcoinAddressFor, payBitcoin } from "../../testing/BitcoinAddressed.ts"
import { deposited, fromBitcoin, quoteBitcoin } from "../../testing/BitcoinClient.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, quote, reader } from "../../testing/Client.ts"
import { alarms, eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"

const SOME = 5_000_000n

const isCoins = Schema.is(Schema.Array(Schema.Struct({ txid: Schema.String })))

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

const startRestored = Effect.gen(function*() {
  const network = yield* startBitcoinNetwork
  const { bitcoin, chains, environment, fresh, heldOnBitcoin, key, user, wallet } = network
  /** Ether for bitcoin, quoted. */
  const fill = Effect.fnUntraced(function*(url: string, index: number) {
    const recipient = newAddress()
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
    return {
      quoted,
      recipient,
      amount: BigInt(quoted.details.currencyOut.amount),
      pay: execute(chains.alpha, key(index), quoted)
    }
  })
  /** Bitcoin that is returned, quoted. */
  const refund = Effect.fnUntraced(function*(url: string) {
    const [recipient, sender] = [newAddress(), yield* wallet("P2WPKH", 9_000_000n)]
    const quoted = yield* quoteBitcoin(
      url,
      fromBitcoin(sender, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n, {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo: recipient
      })
    )
    return { quoted, recipient, pay: deposited(bitcoin, sender, quoted) }
  })
  /** Bitcoin that is sent to a deposit address, quoted, and the payment that makes its sweep due. */
  const addressed = Effect.fnUntraced(function*(url: string, changes: object = {}) {
    const [recipient, refundTo] = [fresh(), newAddress()]
    const made = yield* bitcoinAddressFor(
      url,
      fromBitcoin({ address: newAddress() }, recipient, [chains.alpha.chainId, NATIVE], SOME, { refundTo, ...changes })
    )
    return {
      ...made,
      recipient,
      refundTo,
      pay: (amount: bigint) =>
        Effect.andThen(payBitcoin(bitcoin, made.depositAddress, amount), bitcoin.mine(FINAL_AFTER + 1)),
      /** Its transactions: what came, and what spent it. */
      transactions: Effect.sync(() => bitcoin.chain.ledger.idsOf(made.depositAddress).length)
    }
  })
  // Slow enough for a node to be read at one head on a busy machine.
  const mining = Effect.forever(Effect.delay(bitcoin.mine(), "600 millis"))
  const store = environment["DATABASE_URL"]?.slice("sqlite:".length) ?? ""
  /** The bytes of the newest payment in the store. */
  const newestPayment = Effect.map(
    rowsBeside(network.store, "SELECT raw FROM payments ORDER BY signed_at DESC LIMIT 1"),
    ([row]) => readStoredForm(String(row?.["raw"]))?.form ?? assert.fail("no payment is stored")
  )
  return {
    ...network,
    addressed,
    etherOf: (account: Hex) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })),
    fill,
    refund,
    newestPayment,
    backup: join(dirname(store), "backups", "one.db"),
    whileMining: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.raceFirst(body, mining),
    arrivals: (recipient: string) => [bitcoin.chain.ledger.idsOf(recipient).length, heldOnBitcoin(recipient)] as const
  }
})

describe("a store with Bitcoin that is restored from a backup", () => {
  it.live("finds what was paid since, makes impossible what was in no block, and pays each order once; the doctor agrees", () =>
    Effect.scoped(Effect.gen(function*() {
      const {
        arrivals,
        backup,
        bitcoin,
        environment,
        fill,
        newestPayment,
        refund,
        startHost,
        whileMining
      } = yield* startRestored
      const first = yield* startHost()
      // All are quoted before the backup. One ends before it, two after it, one waits for a block when the host is
      // lost, one is signed and on no node, and one comes later.
      const [before, after, waiting, lost, later] = yield* Effect.all([0, 1, 2, 3, 4].map((at) => fill(first.url, at)))
      if (!before || !after || !waiting || !lost || !later) return assert.fail("not all are quoted")
      const returned = yield* refund(first.url)
      yield* before.pay
      yield* whileMining(endedAnywhere(first.url, before.quoted))
      const backedUp = yield* runOperation("backup", environment, backup)
      assert.strictEqual(backedUp.code, 0, backedUp.error)
      yield* Effect.all([after.pay, returned.pay])
      yield* whileMining(
        Effect.all([endedAnywhere(first.url, after.quoted), endedAnywhere(first.url, returned.quoted)])
      )
      yield* waiting.pay
      yield* eventually(
        "a payment waits for a block",
        Effect.sync(() => bitcoin.chain.ledger.idsOf(waiting.recipient).length),
        (count) => count === 1
      )
      yield* first.kill("SIGKILL")
      const killed = yield* startHost({ FAILPOINT: "Payments.signOnce fill:after" })
      yield* lost.pay
      assert.strictEqual(yield* killed.ended, "SIGKILL")
      tally("kills", 2)
      const forgotten = yield* newestPayment
      assert.strictEqual(arrivals(lost.recipient)[0], 0)

      const restored = yield* runOperation("restore", environment, backup)
      assert.strictEqual(restored.code, 0, restored.error)
      // The explorer knows nothing of the coin that the forgotten payment spends.
      const hidden = new Set(forgotten.inputs.map(({ transactionId }) => transactionId))
      yield* bitcoin.setExplorerFault({
        kind: "lie",
        methods: ["/address"],
        tell: (result) => isCoins(result) ? result.filter(({ txid }) => !hidden.has(txid)) : result
      })
      const second = yield* startHost()
      yield* later.pay
      yield* Effect.sleep("1500 millis")
      for (const { quoted } of [after, lost, later]) {
        assert.notInclude(["success", "refund"], (yield* statusAnywhere(second.url, quoted)).status)
      }
      yield* whileMining(
        Effect.forEach(
          [before, after, waiting, lost, later],
          ({ quoted }) =>
            Effect.map(endedAnywhere(second.url, quoted), ({ status }) => assert.strictEqual(status, "success"))
        )
      )
      assert.strictEqual((yield* whileMining(endedAnywhere(second.url, returned.quoted))).status, "refund")
      yield* whileMining(eventually("all deposits are closed", openDeposits(environment), (open) => open === 0))

      // Whoever finds the lost bytes can send them: no node takes them any more.
      const sent = yield* Effect.exit(Effect.promise(() => bitcoin.chain.submit(forgotten.bytes)))
      yield* bitcoin.mine(7)
      for (const [at, { amount, recipient }] of [before, after, waiting, lost, later].entries()) {
        assert.deepStrictEqual(arrivals(recipient), [1, amount], `fill ${at}; the lost bytes: ${sent._tag}`)
      }
      assert.strictEqual(arrivals(returned.recipient)[0], 1)
      const doctor = yield* runDoctor(environment)
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))

  it.live("settles deposit addresses whose sweeps it has forgotten: each once, and later money there as well", () =>
    Effect.scoped(Effect.gen(function*() {
      const {
        addressed,
        arrivals,
        backup,
        bitcoin,
        environment,
        etherOf,
        heldOnBitcoin,
        newestPayment,
        startHost,
        whileMining
      } = yield* startRestored
      const first = yield* startHost()
      // Two are swept and paid after the backup. The sweep of one waits for a block, and that of another is on no node.
      const [filled, waiting, lost] = yield* Effect.all([0, 1, 2].map(() => addressed(first.url)))
      if (!filled || !waiting || !lost) return assert.fail("not all are quoted")
      const returned = yield* addressed(first.url, { strict: true })
      const backedUp = yield* runOperation("backup", environment, backup)
      assert.strictEqual(backedUp.code, 0, backedUp.error)
      yield* Effect.all([filled.pay(SOME), returned.pay(SOME - 1n)])
      yield* whileMining(
        Effect.all([endedAnywhere(first.url, filled.quoted), endedAnywhere(first.url, returned.quoted)])
      )
      yield* waiting.pay(SOME)
      yield* eventually("a sweep waits for a block", waiting.transactions, (count) => count === 2)
      yield* first.kill("SIGKILL")
      const killed = yield* startHost({ FAILPOINT: "Payments.signOnce sweep:after" })
      yield* lost.pay(SOME)
      assert.strictEqual(yield* killed.ended, "SIGKILL")
      tally("kills", 2)
      const forgotten = yield* newestPayment
      const [came] = bitcoin.chain.ledger.idsOf(lost.depositAddress)
      assert.include(forgotten.inputs.map(({ transactionId }) => transactionId), came)

      const restored = yield* runOperation("restore", environment, backup)
      assert.strictEqual(restored.code, 0, restored.error)
      const second = yield* startHost()
      for (const { quoted, recipient } of [filled, waiting, lost]) {
        assert.strictEqual((yield* whileMining(endedAnywhere(second.url, quoted))).status, "success")
        // The price is that of the sweep's block.
        const [got, promised] = [yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount)]
        assert.isTrue(got * 100n > promised * 99n && got * 100n < promised * 101n, `${got} of ${promised}`)
      }
      assert.strictEqual((yield* whileMining(endedAnywhere(second.url, returned.quoted))).status, "refund")
      yield* whileMining(eventually("all deposits are closed", openDeposits(environment), (open) => open === 0))
      // Whoever finds the lost bytes can send them: no node takes them any more.
      yield* Effect.exit(Effect.promise(() => bitcoin.chain.submit(forgotten.bytes)))
      yield* bitcoin.mine(FINAL_AFTER + 1)
      for (const { depositAddress, transactions } of [filled, waiting, lost, returned]) {
        assert.strictEqual(yield* transactions, 2)
        assert.strictEqual(heldOnBitcoin(depositAddress), 0n)
      }
      assert.strictEqual(arrivals(returned.refundTo)[0], 1)

      for (const what of ["paid-twice", "paid-unknown-order"]) assert.strictEqual(yield* alarms(second.url, what), 0)

      // The number of a forgotten sweep is used again.
      const before = yield* etherOf(filled.recipient)
      yield* filled.pay(SOME)
      const requests = yield* whileMining(
        eventually(
          "the later one is filled",
          requestsOf(second.url, filled.depositAddress),
          (found) => found.length === 2 && found.every(({ status }) => status === "success")
        )
      )
      assert.lengthOf(requests, 2)
      assert.isTrue((yield* etherOf(filled.recipient)) > before)
      yield* whileMining(eventually("all deposits are closed", openDeposits(environment), (open) => open === 0))
      const doctor = yield* runDoctor(environment)
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))
})
