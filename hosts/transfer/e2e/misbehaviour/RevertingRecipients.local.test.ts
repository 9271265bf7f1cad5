/**
 * A recipient whose code accepts in the trial and burns the fill's gas in the block (REFUND-11): who pays for that, how
 * much of it is the solver's, and that all others are served meanwhile.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, nativeRequest, quote, sendCall, sendDeposit } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import {
  alarms,
  assertDelivered,
  eventually,
  holdMining,
  openDeposits,
  resumeMining
} from "../../testing/Misbehaving.ts"
import { cheapBlocks, first, frontRun, lostUsd, OFF, ON, spentUsd, SWITCHED } from "../../testing/RevertingCalls.ts"
import { keyAt } from "../../testing/TestChains.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Network extends fixtureOf<Network>()("test/RevertingRecipients", startNetwork) {}

const fresh = (index: number): Hex => toHex(0xc0de_0000_0000n + BigInt(index), { size: 20 })
const TIMES = 10
const ATTACKER = 0
const STRANGER = 1
const OTHER = 2

/** A quote of native currency to this recipient. What goes back goes to an account of its own. */
const quoteTo = Effect.fnUntraced(function*(
  url: string,
  sender: number,
  recipient: Hex,
  refundTo: Hex,
  changes: object = {}
) {
  const { chains, chains: { alpha, beta } } = yield* Network
  const user = privateKeyToAccount(keyAt(chains, sender)).address
  return yield* quote(url, nativeRequest(user, alpha, beta, ETH.some, { recipient, refundTo, ...changes }))
})

const deposit = Effect.fnUntraced(function*(sender: number, quoted: QuoteAnswer) {
  const { chains } = yield* Network
  return yield* sendDeposit(chains.alpha, keyAt(chains, sender), quoted)
})

/** What the quote shows that a refund may lack. */
const shownOf = ({ details: { refundCurrency: { amount, minimumAmount } } }: QuoteAnswer) =>
  BigInt(amount) - BigInt(minimumAmount)

/** The recipient accepts again. */
const clear = Effect.fnUntraced(function*(target: Hex) {
  const { chains, chains: { beta } } = yield* Network
  yield* sendCall(beta, keyAt(chains, STRANGER), { to: target, data: OFF, ...first })
  yield* holdMining(beta)
  yield* cheapBlocks(chains)
  yield* resumeMining(beta)
})

/** Another sender pays an account without code, and one whose code accepts. Both are delivered. */
const othersAreServed = Effect.fnUntraced(function*(url: string, account: Hex, contract: Hex) {
  const { chains } = yield* Network
  yield* chains.beta.setCode(contract, SWITCHED)
  for (const recipient of [account, contract]) {
    const quoted = yield* quoteTo(url, OTHER, recipient, fresh(900))
    yield* deposit(OTHER, quoted)
    assert.strictEqual((yield* ended(url, quoted)).status, "success")
    yield* assertDelivered(chains, quoted, recipient)
  }
})

layer(Network.layer, { excludeTestServices: true })("a recipient's code that burns gas only in the fill", (it) => {
  it.effect("lowers the refund's minimum where the fill runs it: native currency or a gas topup, but no token alone", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, startInstance } = yield* Network
      const { url } = yield* startInstance({ FACTS_MAX_AGE_MS: "0" })
      const target = fresh(21)
      yield* holdMining(alpha)
      const token = { originCurrency: USDC.address, destinationCurrency: USDC.address, amount: `${USDC.some}` }
      const shown = Effect.forEach(
        [{}, { ...token, topupGas: true }, token],
        (changes) => Effect.map(quoteTo(url, OTHER, target, fresh(901), changes), shownOf)
      )
      const without = yield* shown
      yield* beta.setCode(target, SWITCHED)
      const [native = 0n, topup = 0n, alone = 0n] = yield* shown
      yield* resumeMining(alpha)
      const [plainNative = 0n, plainTopup = 0n, plainAlone = 0n] = without
      assert.isTrue(native > plainNative && topup > plainTopup, `${native}, ${topup}; without ${without.join(", ")}`)
      assert.strictEqual(alone, plainAlone)
    })))

  it.effect("when it was there at the quote: each of ten deposits pays for its own, at most what was shown, and the solver nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { alpha, beta }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ REVERTED_CALLS_USD: "0", FACTS_MAX_AGE_MS: "0" })
      const target = fresh(1)
      const plain = yield* quoteTo(url, ATTACKER, target, fresh(100))
      yield* beta.setCode(target, SWITCHED)
      const quotes = yield* Effect.forEach(
        Array.from({ length: TIMES }, (_, index) => index),
        (index) => quoteTo(url, ATTACKER, target, fresh(100 + index))
      )
      for (const quoted of quotes) assert.isTrue(shownOf(quoted) > shownOf(plain), `${shownOf(quoted)}`)
      yield* frontRun(
        chains,
        Effect.forEach(quotes, (quoted) => deposit(ATTACKER, quoted)),
        target,
        ON,
        keyAt(chains, STRANGER),
        { fills: TIMES }
      )
      for (const [index, quoted] of quotes.entries()) {
        const { failReason, status } = yield* ended(url, quoted)
        assert.deepStrictEqual([status, failReason], ["refund", "TRANSACTION_REVERTED"])
        const kept = BigInt(quoted.details.refundCurrency.amount) - (yield* held(alpha, ETH, fresh(100 + index)))
        assert.isTrue(kept > 0n && kept <= shownOf(quoted), `${kept}`)
        const spent = (yield* spentUsd(chains, "beta", quoted)) + (yield* spentUsd(chains, "alpha", quoted))
        const keptUsd = Number(kept) / 1e18 * 2_500
        assert.isTrue(spent > 0 && keptUsd >= spent * 0.95, `kept ${keptUsd}, spent ${spent}`)
      }
      assert.strictEqual(yield* lostUsd(url), 0)
      yield* clear(target)
      yield* othersAreServed(url, fresh(2), fresh(3))
      yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
    })))

  it.effect("when it came after the quote: ten from one sender cost the solver at most that sender's tenth of the cap, and the rest goes back", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { beta }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ REVERTED_CALLS_USD: "1" })
      const target = fresh(11)
      const [quoted, ...later] = yield* Effect.forEach(
        Array.from({ length: TIMES }, (_, index) => index),
        (index) => quoteTo(url, ATTACKER, target, fresh(200 + index))
      )
      assert.isDefined(quoted)
      yield* beta.setCode(target, SWITCHED)
      yield* clear(target)
      yield* frontRun(chains, deposit(ATTACKER, quoted), target, ON, keyAt(chains, STRANGER))
      assert.strictEqual((yield* ended(url, quoted)).failReason, "TRANSACTION_REVERTED")
      const lost = yield* eventually("its loss counts", lostUsd(url), (usd) => usd > 0)
      assert.isAtMost(lost, 0.1)
      yield* clear(target)
      yield* Effect.forEach(later, (each) => deposit(ATTACKER, each))
      for (const each of later) {
        const { failReason, status } = yield* ended(url, each)
        assert.deepStrictEqual([status, failReason], ["refund", "SOLVER_CAPACITY_EXCEEDED"])
      }
      assert.strictEqual(yield* alarms(url, "reverted-calls-capped"), TIMES - 1)
      assert.strictEqual(yield* lostUsd(url), lost)
      yield* othersAreServed(url, fresh(12), fresh(13))
      yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
    })))
})
