import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { ended, execute, post, postQuote, quote, sendCall, status } from "../../testing/Client.ts"
import { pooled } from "../../testing/FeePressure.ts"
import { eventually, holdMining, resumeMining } from "../../testing/Misbehaving.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { verified } from "../../testing/Verified.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/SendsRunning", startFixture(startNetwork)) {}

const fresh = (index: number) => toHex(0xb0000000000 + index, { size: 20 })

const body = (index: number, currency: TestCurrency, changes: object = {}) =>
  Effect.map(Running, (running) => {
    const { chains: { alpha } } = running
    return requestOf(running, index, [currency, currency], {
      recipient: fresh(index),
      destinationChainId: alpha.chainId,
      ...changes
    })
  })

layer(Running.layer, { excludeTestServices: true })("a send within one chain", (it) => {
  it.effect("is paid directly to its recipient, native or token, costs nothing, and is tracked to success", () =>
    Effect.gen(function*() {
      const { chains, key, url } = yield* Running
      const { alpha, solver } = chains
      const before = yield* held(alpha, USDC, solver)
      for (const [index, currency] of [[0, ETH], [1, USDC]] as const) {
        yield* verified(url, chains, yield* body(index, currency))
        const quoted = yield* quote(url, yield* body(index, currency))
        assert.deepStrictEqual(quoted.steps.map(({ id, items }) => [id, items.length]), [["send", 1]])
        assert.strictEqual(quoted.details.currencyOut.amount, quoted.details.currencyIn.amount)
        assert.strictEqual(quoted.fees["relayer"]?.amount, "0")
        const [receipt] = yield* execute(alpha, key(index), quoted)
        const end = yield* ended(url, quoted)
        assert.strictEqual(end.status, "success")
        assert.deepStrictEqual([end.inTxHashes, end.txHashes], [[receipt?.transactionHash], [receipt?.transactionHash]])
        assert.strictEqual(yield* held(alpha, currency, fresh(index)), currency.some)
      }
      assert.strictEqual(yield* held(alpha, USDC, solver), before)
    }))

  it.effect("is not fulfilled by a smaller payment, or by one to another recipient", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      const quoted = yield* quote(url, yield* body(2, ETH))
      const data = quoted.steps[0]?.items[0]?.data.data ?? "0x"
      yield* sendCall(alpha, key(2), { to: fresh(2), data, value: ETH.some - 1n })
      yield* sendCall(alpha, key(2), { to: fresh(99), data, value: ETH.some })
      // The next one is found, so the two before it were read.
      const other = yield* quote(url, yield* body(3, ETH))
      yield* execute(alpha, key(3), other)
      assert.strictEqual((yield* ended(url, other)).status, "success")
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")
      // From any payer: only the recipient's money counts.
      yield* sendCall(alpha, key(3), { to: fresh(2), data, value: ETH.some })
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
    }))

  it.effect("whose block a reorg removes is awaited again", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      // Too large for one confirmation: it waits for finality, and so can still be lost.
      const quoted = yield* quote(url, yield* body(4, ETH, { amount: (60n * 10n ** 18n).toString() }))
      yield* holdMining(alpha)
      yield* Effect.forkChild(execute(alpha, key(4), quoted))
      const sender = privateKeyToAccount(key(4)).address
      yield* eventually("it is in the pool", pooled(alpha, sender), (waiting) => waiting.length === 1)
      yield* alpha.request("anvil_mine", ["0x1"])
      yield* eventually("it is seen", status(url, quoted), (seen) => seen.status === "submitted")
      yield* alpha.request("anvil_reorg", [1, []])
      yield* alpha.request("anvil_mine", ["0x3"])
      yield* eventually("it is lost", status(url, quoted), (seen) => seen.txHashes.length === 0)
      yield* resumeMining(alpha)
      yield* execute(alpha, key(4), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(alpha, ETH, fresh(4)), 60n * 10n ** 18n)
    }))

  it.effect("to oneself, or with options that need a fill, is refused by name", () =>
    Effect.gen(function*() {
      const { url, user } = yield* Running
      const refused = Effect.fnUntraced(function*(request: object, ...words: ReadonlyArray<string>) {
        const answer = yield* postQuote(url, request)
        assert.strictEqual(answer.status, 400)
        for (const word of words) assert.include(answer.text, word)
      })
      yield* refused(yield* body(5, ETH, { recipient: user(5) }), "INVALID_RECIPIENT", "recipient")
      yield* refused(
        yield* body(5, ETH, { appFees: [{ recipient: fresh(1), fee: "10" }] }),
        "INVALID_REQUEST",
        "appFees",
        "destinationCurrency"
      )
    }))

  it.effect("is found when someone reports its transaction", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      const quoted = yield* quote(url, yield* body(6, USDC))
      const [receipt] = yield* execute(alpha, key(6), quoted)
      const answer = yield* post(`${url}/transactions/index`, {
        txHash: receipt?.transactionHash,
        chainId: alpha.chainId
      })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
    }))
})
