import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { addressFor } from "../../testing/Addressed.ts"
import { ended, execute, nativeRequest, postQuote, quote, sendCall, status } from "../../testing/Client.ts"
import { eventually, holdMining, resumeMining } from "../../testing/Misbehaving.ts"
import { sendRaw, signTransfer } from "../../testing/SignedDeposit.ts"
import { held, USDC, WETH } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

/** Nothing may be paid out for a deposit that is not final, beyond twenty dollars. */
class Running extends fixtureOf<Running>()(
  "test/PrudenceRunning",
  startFixture(startNetwork, { settings: { UNFINAL_EXPOSURE_USER_USD: "20" } })
) {}

const fresh = (index: number) => toHex(0xa0000000000 + index, { size: 20 })

const body = Effect.fnUntraced(function*(index: number, currency: TestCurrency, amount: bigint) {
  const { chains: { alpha, beta }, user } = yield* Running
  return {
    user: user(index),
    recipient: fresh(index),
    originChainId: alpha.chainId,
    destinationChainId: beta.chainId,
    originCurrency: currency.address,
    destinationCurrency: currency.address,
    amount: amount.toString(),
    tradeType: "EXACT_INPUT"
  }
})

layer(Running.layer, { excludeTestServices: true })("exposure and reserved inventory", (it) => {
  it.effect("a deposit above the exposure cap is filled only once it is final; one below it at once", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const [large, small] = [
        yield* quote(url, yield* body(0, USDC, 25_000_000n)),
        yield* quote(url, yield* body(1, USDC, 5_000_000n))
      ]
      yield* execute(alpha, key(0), { ...large, steps: large.steps.slice(0, 1) })
      yield* execute(alpha, key(1), { ...small, steps: small.steps.slice(0, 1) })
      // From here on alpha makes no blocks: a deposit in its newest block is not final until the test mines.
      const deposits = Effect.all([
        execute(alpha, key(0), { ...large, steps: large.steps.slice(1) }),
        execute(alpha, key(1), { ...small, steps: small.steps.slice(1) })
      ])
      yield* alpha.request("evm_setIntervalMining", [0])
      yield* alpha.request("evm_setAutomine", [true])
      yield* deposits
      assert.strictEqual((yield* ended(url, small)).status, "success")
      yield* Effect.sleep(500)
      assert.strictEqual((yield* status(url, large)).status, "depositing")
      assert.strictEqual(yield* held(beta, USDC, fresh(0)), 0n)
      yield* alpha.mine(3)
      assert.strictEqual((yield* ended(url, large)).status, "success")
      yield* resumeMining(alpha)
    }))

  it.effect("each deposit address has its own cap, which delays nobody else", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url, user } = yield* Running
      // Fifteen dollars each: two of them are above one cap.
      const amount = 6n * 10n ** 15n
      const asked = yield* Effect.forEach(
        [5, 6],
        (index) =>
          Effect.map(
            addressFor(url, nativeRequest(user(index), alpha, beta, amount, { recipient: fresh(index) })),
            (made) => ({ ...made, index })
          )
      )
      yield* holdMining(alpha)
      for (const { depositAddress, index } of asked) {
        yield* sendRaw(alpha, yield* signTransfer(alpha, key(index), depositAddress, amount))
      }
      yield* alpha.mine(1)
      // Only the two sweeps make blocks now: neither of their deposits is final until the test mines.
      yield* alpha.request("evm_setAutomine", [true])
      for (const { quoted } of asked) assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* resumeMining(alpha)
    }))

  it.effect("inventory reserved for a seen deposit is not quoted to anyone else, until it is paid", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver, solverKey }, key, url } = yield* Running
      const whole = 10n ** 18n
      const inventory = yield* held(beta, WETH, solver)
      // The solver has 500 left.
      yield* sendCall(beta, solverKey, {
        to: WETH.address,
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: "transfer",
          args: [fresh(900), inventory - 500n * whole]
        })
      })
      const first = yield* quote(url, yield* body(2, WETH, 300n * whole))
      // A quote alone reserves nothing: the next caller gets the same quote.
      yield* quote(url, yield* body(3, WETH, 300n * whole))
      yield* holdMining(beta)
      yield* execute(alpha, key(2), first)
      yield* eventually("it is seen", status(url, first), (seen) => seen.status !== "waiting")
      const refused = yield* postQuote(url, yield* body(3, WETH, 250n * whole))
      assert.strictEqual(refused.status, 400)
      assert.include(refused.text, "INSUFFICIENT_LIQUIDITY")
      yield* quote(url, yield* body(3, WETH, 150n * whole))
      yield* eventually("it is sent", status(url, first), (seen) => seen.status === "submitted")
      yield* resumeMining(beta)
      assert.strictEqual((yield* ended(url, first)).status, "success")
      // Once paid it is no longer reserved, and the chain itself shows what is left.
      yield* quote(url, yield* body(3, WETH, 150n * whole))
      assert.strictEqual((yield* postQuote(url, yield* body(3, WETH, 250n * whole))).status, 400)
    }))
})
