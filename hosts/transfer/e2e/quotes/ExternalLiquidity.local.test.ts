import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, execute, postQuote, QuoteAnswer, sendCall, status } from "../../testing/Client.ts"
import { alarms, eventually } from "../../testing/Misbehaving.ts"
import { held, WETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/ExternalLiquidityRunning", startNetwork) {}

/** Quotes see at once what the test does to the inventory. */
const PROMPT = { FACTS_MAX_AGE_MS: "0" }

const WHOLE = 10n ** 18n
const fresh = (index: number) => toHex(0xe1000000000 + index, { size: 20 })
const decodeEstimate = Schema.decodeUnknownSync(Schema.Struct({ details: Schema.Struct({ timeEstimate: Schema.Int }) }))

const ask = Effect.fnUntraced(function*(url: string, index: number, whole: bigint, changes: object = {}) {
  const { chains: { alpha, beta, users } } = yield* Running
  return yield* postQuote(url, {
    user: privateKeyToAccount(users[index] ?? "0x").address,
    recipient: fresh(index),
    refundTo: fresh(100 + index),
    originChainId: alpha.chainId,
    destinationChainId: beta.chainId,
    originCurrency: WETH.address,
    destinationCurrency: WETH.address,
    amount: (whole * WHOLE).toString(),
    tradeType: "EXACT_OUTPUT",
    ...changes
  })
})

const quoted = Effect.fnUntraced(function*(url: string, index: number, whole: bigint, changes: object = {}) {
  const answer = yield* ask(url, index, whole, changes)
  assert.strictEqual(answer.status, 200, answer.text)
  return {
    quote: Schema.decodeUnknownSync(QuoteAnswer)(answer.json()),
    seconds: decodeEstimate(answer.json()).details.timeEstimate
  }
})

/** Deposits, and waits until the request is shown as waiting. */
const waiting = Effect.fnUntraced(
  function*(url: string, index: number, { quote }: Effect.Success<ReturnType<typeof quoted>>) {
    const { chains: { alpha, users } } = yield* Running
    yield* execute(alpha, users[index] ?? "0x", quote)
    yield* eventually("it is delayed", status(url, quote), (seen) => seen.status === "delayed")
  }
)

const transfer = (to: Hex, amount: bigint) => ({
  to: WETH.address,
  data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })
})

/** Adds inventory. */
const bring = Effect.fnUntraced(function*(whole: bigint) {
  const { chains: { beta, solver, users } } = yield* Running
  yield* sendCall(beta, users[9] ?? "0x", transfer(solver, whole * WHOLE))
})

const external = { useExternalLiquidity: true }

layer(Running.layer, { excludeTestServices: true })("fills that wait for inventory", (it) => {
  it.effect("are made oldest first, across a crash, while others use inventory that is too small for them; at their time limit they are refunded", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver, solverKey, users }, startHost, startInstance } = yield* Running
      const host = yield* startHost(PROMPT)
      // The solver has 50 left.
      yield* sendCall(beta, solverKey, transfer(fresh(900), (yield* held(beta, WETH, solver)) - 50n * WHOLE))
      const refused = yield* ask(host.url, 0, 60n)
      assert.strictEqual(refused.status, 400)
      assert.include(refused.text, "INSUFFICIENT_LIQUIDITY")
      const large = yield* quoted(host.url, 0, 60n, external)
      assert.isAtLeast(large.seconds, 3_600)
      // An amount within the inventory does not wait, until another fill is in the queue.
      assert.isBelow((yield* quoted(host.url, 1, 45n, external)).seconds, 3_600)
      yield* waiting(host.url, 0, large)
      const small = yield* quoted(host.url, 1, 45n, external)
      assert.isAtLeast(small.seconds, 3_600)
      yield* waiting(host.url, 1, small)
      // Inventory that is too small for the oldest waiting fill is available to others.
      const other = yield* quoted(host.url, 2, 30n)
      yield* execute(alpha, users[2] ?? "0x", other.quote)
      assert.strictEqual((yield* ended(host.url, other.quote)).status, "success")
      // The user asked to wait, so there is no alarm.
      assert.strictEqual(yield* alarms(host.url, "treasury-empty"), 0)
      yield* host.kill("SIGKILL")
      const { stop, url } = yield* startInstance(PROMPT)
      // 65 of the 105 that are awaited: enough for either of the two, but not for both.
      yield* bring(45n)
      assert.strictEqual((yield* ended(url, large.quote)).status, "success")
      assert.strictEqual(yield* held(beta, WETH, fresh(0)), 60n * WHOLE)
      assert.strictEqual((yield* status(url, small.quote)).status, "delayed")
      yield* bring(40n)
      assert.strictEqual((yield* ended(url, small.quote)).status, "success")
      assert.strictEqual(yield* held(beta, WETH, fresh(1)), 45n * WHOLE)
      assert.strictEqual(yield* held(beta, WETH, solver), 0n)
      yield* bring(1n)
      yield* stop
      const impatient = yield* startInstance({ ...PROMPT, EXTERNAL_LIQUIDITY_SECONDS: "1" })
      const never = yield* quoted(impatient.url, 3, 60n, external)
      assert.isBelow(never.seconds, 60)
      yield* execute(alpha, users[3] ?? "0x", never.quote)
      const end = yield* ended(impatient.url, never.quote)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "SOLVER_CAPACITY_EXCEEDED"])
      assert.strictEqual(yield* held(beta, WETH, fresh(3)), 0n)
      assert.isTrue((yield* held(alpha, WETH, fresh(103))) > 59n * WHOLE)
      // The queue is empty, and nothing is reserved: the whole inventory can be quoted.
      yield* quoted(impatient.url, 4, 1n)
    }))
})
