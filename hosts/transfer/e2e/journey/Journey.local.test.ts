import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { ended, nativeRequest, quote, reader, sendDeposit, status } from "../../testing/Client.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/Running", startFixture(startNetwork)) {}

layer(Running.layer, { excludeTestServices: true })("the journey of a native transfer", (it) => {
  it.effect(
    "delivers and takes the quoted amounts, to the unit",
    () =>
      Effect.gen(function*() {
        const { chains, url } = yield* Running
        const key = (yield* Running).key(0)
        const user = privateKeyToAccount(key).address
        const [origin, destination] = [reader(chains.alpha), reader(chains.beta)]
        const balances = () =>
          Effect.promise(() =>
            Promise.all([origin.getBalance({ address: user }), destination.getBalance({ address: user })])
          )
        const before = yield* balances()

        const quoted = yield* quote(url, nativeRequest(user, chains.alpha, chains.beta, parseEther("1")))
        assert.strictEqual((yield* status(url, quoted)).status, "waiting")
        const receipt = yield* sendDeposit(chains.alpha, key, quoted)
        const end = yield* ended(url, quoted)
        const after = yield* balances()

        assert.strictEqual(end.status, "success")
        assert.strictEqual(end.failReason, "N/A")
        assert.deepStrictEqual(end.inTxHashes, [receipt.transactionHash])
        assert.strictEqual(
          before[0] - after[0] - receipt.gasUsed * receipt.effectiveGasPrice,
          BigInt(quoted.details.currencyIn.amount)
        )
        assert.strictEqual(after[1] - before[1], BigInt(quoted.details.currencyOut.amount))
        // Fees are the whole difference: the two currencies are one asset.
        const fee = (name: string) => BigInt(quoted.fees[name]?.amount ?? "-1")
        assert.strictEqual(
          BigInt(quoted.details.currencyIn.amount) - fee("relayer") - fee("app"),
          BigInt(quoted.details.currencyOut.amount)
        )
        assert.strictEqual(fee("relayer"), fee("relayerGas") + fee("relayerService"))
      }),
    shows("ethereum-vm", "transfers from", "transfers to")
  )

  it.effect("names the order in the fill's calldata, and nothing else", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const key = (yield* Running).key(1)
      const quoted = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("0.2"))
      )
      yield* sendDeposit(chains.alpha, key, quoted)
      const end = yield* ended(url, quoted)
      const fill = yield* Effect.promise(() => reader(chains.beta).getTransaction({ hash: end.txHashes[0] ?? "0x" }))
      const orderId = quoted.steps[0]?.items[0]?.data.data.slice(-64)
      assert.strictEqual(fill.input, `0x${orderId}`)
      assert.strictEqual(fill.from.toLowerCase(), chains.solver.toLowerCase())
    }))

  it.effect("works in the other direction, to another recipient", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const recipient = "0x000000000000000000000000000000000000ca5e"
      const key = (yield* Running).key(2)
      const quoted = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(key).address, chains.beta, chains.alpha, parseEther("0.3"), { recipient })
      )
      yield* sendDeposit(chains.beta, key, quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const arrived = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
      assert.strictEqual(arrived, BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("delivers an exact output exactly", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const recipient = "0x000000000000000000000000000000000000eac7"
      const key = (yield* Running).key(3)
      const user = privateKeyToAccount(key).address
      const quoted = yield* quote(
        url,
        nativeRequest(user, chains.alpha, chains.beta, 123_456_789_012_345_678n, {
          recipient,
          tradeType: "EXACT_OUTPUT"
        })
      )
      assert.strictEqual(quoted.details.currencyOut.amount, "123456789012345678")
      assert.strictEqual(quoted.details.currencyOut.minimumAmount, "123456789012345678")
      yield* sendDeposit(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const arrived = yield* Effect.promise(() => reader(chains.beta).getBalance({ address: recipient }))
      assert.strictEqual(arrived, 123_456_789_012_345_678n)
    }))

  it.effect(
    "refunds a deposit that is too small, and says why",
    () =>
      Effect.gen(function*() {
        const { chains, url } = yield* Running
        const key = (yield* Running).key(5)
        const user = privateKeyToAccount(key).address
        const refundTo = "0x000000000000000000000000000000000000f00d"
        const quoted = yield* quote(url, nativeRequest(user, chains.alpha, chains.beta, parseEther("1"), { refundTo }))
        yield* sendDeposit(chains.alpha, key, quoted, parseEther("0.5"))
        const end = yield* ended(url, quoted)
        assert.strictEqual(end.status, "refund")
        assert.strictEqual(end.failReason, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL")
        const back = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: refundTo }))
        assert.isTrue(back > parseEther("0.499") && back < parseEther("0.5"))
      }),
    shows("ethereum-vm", "refunds")
  )

  it.effect("fills an order once: a second deposit is refunded, and the success stays", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const key = (yield* Running).key(6)
      const user = privateKeyToAccount(key).address
      const recipient = "0x000000000000000000000000000000000000d0b1"
      const refundTo = "0x000000000000000000000000000000000000d0b2"
      const quoted = yield* quote(
        url,
        nativeRequest(user, chains.alpha, chains.beta, parseEther("0.4"), { recipient, refundTo })
      )
      yield* sendDeposit(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* sendDeposit(chains.alpha, key, quoted)
      const refunded = () => Effect.promise(() => reader(chains.alpha).getBalance({ address: refundTo }))
      yield* refunded().pipe(Effect.tap(() => Effect.sleep(50)), Effect.repeat({ until: (balance) => balance > 0n }))
      const arrived = yield* Effect.promise(() => reader(chains.beta).getBalance({ address: recipient }))
      assert.strictEqual(arrived, BigInt(quoted.details.currencyOut.amount))
      assert.isTrue((yield* refunded()) > parseEther("0.399"))
      assert.strictEqual((yield* status(url, quoted)).status, "success")
    }))

  it.effect("is not affected by a stranger's dust", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const key = (yield* Running).key(7)
      const recipient = "0x000000000000000000000000000000000000d057"
      const quoted = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("0.6"), { recipient })
      )
      yield* sendDeposit(chains.alpha, (yield* Running).key(8), quoted, 1n)
      yield* Effect.sleep("1 second")
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")
      yield* sendDeposit(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
    }))
})
