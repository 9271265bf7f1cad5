/**
 * A fill on Bitcoin that no block takes while fees rise: the request is delayed, the payment is replaced by the same
 * coins up to the ceiling of its fee, survives a mempool that forgets it, and is made once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Transaction } from "bitcoinjs-lib"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther } from "viem"
import { pushedData } from "../../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { estimating, USUAL_RATE } from "../../testing/BitcoinFees.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, post, quote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { alarms, eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { startReceiver } from "../../testing/Receiver.ts"
import { runDoctor } from "../../testing/RunOperation.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"

/** How many times its first rate a payment may offer. */
const FACTOR = 10n

const Told = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    data: Schema.Struct({ outTxs: Schema.Array(Schema.Struct({ hash: Schema.String })) })
  }))
})

const noteIn = (transaction: Transaction): string =>
  Buffer.from(transaction.outs.flatMap(({ script }) => pushedData(script) ?? [])[0] ?? []).toString("utf8")

const inputsOf = ({ ins }: Transaction): ReadonlyArray<string> =>
  ins.map(({ hash, index }) => `${Buffer.from(hash).toString("hex")}:${index}`)

describe("a fill on Bitcoin that no block takes", () => {
  it.live("is delayed, replaced up to the ceiling of its fee, broadcast again when it is forgotten, and made once", () =>
    Effect.scoped(Effect.gen(function*() {
      const running = yield* startFixture(startBitcoinNetwork, {
        settings: { BITCOIN_FEE_SECONDS: "0", MAX_FEE_FACTOR: `${FACTOR}` },
        keys: ["app"]
      })
      const { bitcoin, chains, environment, heldOnBitcoin, key, url, user } = running
      const [receiver, own] = [yield* startReceiver(), { "x-api-key": "app" }]
      assert.strictEqual((yield* post(`${url}/webhooks`, { url: receiver.url }, own)).status, 200)
      const recipient = keyOf(new Uint8Array(randomBytes(32))).address
      const quoted = yield* quote(url, {
        user: user(0),
        recipient,
        originChainId: chains.alpha.chainId,
        destinationChainId: bitcoinChainId,
        originCurrency: NATIVE,
        destinationCurrency: BTC,
        amount: `${parseEther("0.5")}`,
        tradeType: "EXACT_INPUT"
      }, own)
      const order = orderIdOf(quoted)
      /** The payment as the mempool has it, and what it pays a virtual byte. */
      const payment = Effect.sync(() => {
        const [found, ...others] = bitcoin.chain.waiting().flatMap(({ fee, raw }) => {
          const transaction = Transaction.fromBuffer(raw)
          return noteIn(transaction) === order
            ? [{ transaction, id: transaction.getId(), rate: Number(fee) / transaction.virtualSize() }]
            : []
        })
        assert.lengthOf(others, 0)
        return found
      })
      /** Blocks come and do not take it. */
      const withoutIt = <A, E, R>(body: Effect.Effect<A, E, R>) =>
        Effect.raceFirst(body, slowingBlocks(bitcoin.mineEmpty))

      yield* execute(chains.alpha, key(0), quoted)
      const first = yield* eventually("it is in the mempool", payment, (found) => found !== undefined)
      yield* eventually("it is shown", statusAnywhere(url, quoted), ({ status }) => status === "submitted")

      yield* estimating(bitcoin, 8)
      const second = yield* withoutIt(
        eventually("it is replaced", payment, (found) => found !== undefined && found.id !== first?.id)
      )
      yield* eventually("that is shown", statusAnywhere(url, quoted), ({ status }) => status === "delayed")
      assert.deepStrictEqual(
        inputsOf(second?.transaction ?? assert.fail()),
        inputsOf(first?.transaction ?? assert.fail())
      )
      assert.isAtLeast(second?.rate ?? 0, 8)

      // Beyond its ceiling: it offers that much, and no more.
      yield* estimating(bitcoin, 30)
      yield* withoutIt(eventually("an alarm tells it", alarms(url, "payment-stuck"), (count) => count === 1))
      const last = (yield* payment) ?? assert.fail("it is in no mempool")
      assert.notStrictEqual(last.id, second?.id)
      assert.isAbove(last.rate, second?.rate ?? 0)
      assert.isAtMost(last.rate, (first?.rate ?? 0) * Number(FACTOR))

      yield* bitcoin.reorg(1, "dropped")
      const again = yield* withoutIt(
        eventually("it is broadcast again", payment, (found) => found !== undefined)
      )
      assert.strictEqual(again?.id, last.id)
      assert.strictEqual((yield* statusAnywhere(url, quoted)).status, "delayed")

      yield* estimating(bitcoin, USUAL_RATE)
      const ended = yield* Effect.raceFirst(endedAnywhere(url, quoted), slowingBlocks(bitcoin.mine()))
      assert.deepInclude(ended, { status: "success", txHashes: [last.id] })
      // Nothing more comes, however long it goes on.
      yield* bitcoin.mine(FINAL_AFTER + 1)
      const { ledger } = bitcoin.chain
      assert.deepStrictEqual(ledger.idsOf(recipient).filter((id) => ledger.confirmedIn(id) !== undefined), [last.id])
      assert.strictEqual(`${heldOnBitcoin(recipient)}`, quoted.details.currencyOut.amount)
      // The history and the last webhook name the form that is in a block, and no other.
      const requestId = quoted.steps[0]?.requestId ?? ""
      const { requests: [told] } = yield* Schema.decodeUnknownEffect(Told)(
        (yield* get(`${url}/requests?id=${requestId}`)).json()
      )
      assert.deepStrictEqual(told?.data.outTxs.map(({ hash }) => hash), [last.id])
      const hook = yield* eventually(
        "the end is told",
        Effect.sync(() => receiver.received.at(-1)?.json.data),
        (data) => data?.["status"] === "success"
      )
      assert.deepStrictEqual(hook?.["txHashes"], [last.id])
      yield* running.host.stop
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
    })))
})
