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
import { mineAt, pooled } from "../../testing/FeePressure.ts"
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
const GWEI = 10n ** 9n

/** As SWITCHED, but takes some 60,000 gas of a payment when its flag is set, and accepts it. */
const GREEDY = "0x34600b57600035600055005b600054601357005b620177006000205000"
/** Takes that of every payment, but for the order of a quote, whose id is all ones. */
const HIDING = "0x60003519600857005b620177006000205000"
/** What a wallet's proxy does when it is paid: reads its storage, calls its logic, logs. Some 6,100 gas. */
const WALLET: Hex = `0x6000545073${"ab".repeat(20)}3b5033600160206000a200`
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

/** All are refunded less what they cost, which is no more than was shown. Their refunds went to accounts from `from` on. */
const eachPaysForItsOwn = Effect.fnUntraced(function*(url: string, quotes: ReadonlyArray<QuoteAnswer>, from: number) {
  const { chains, chains: { alpha } } = yield* Network
  for (const [index, quoted] of quotes.entries()) {
    const { failReason, status } = yield* ended(url, quoted)
    assert.deepStrictEqual([status, failReason], ["refund", "TRANSACTION_REVERTED"])
    const kept = BigInt(quoted.details.refundCurrency.amount) - (yield* held(alpha, ETH, fresh(from + index)))
    assert.isTrue(kept > 0n && kept <= shownOf(quoted), `${kept}`)
    const spent = (yield* spentUsd(chains, "beta", quoted)) + (yield* spentUsd(chains, "alpha", quoted))
    const keptUsd = Number(kept) / 1e18 * 2_500
    assert.isTrue(spent > 0 && keptUsd >= spent * 0.95, `kept ${keptUsd}, spent ${spent}`)
  }
  assert.strictEqual(yield* lostUsd(url), 0)
})

layer(Network.layer, { excludeTestServices: true })("a recipient's code that burns gas only in the fill", (it) => {
  it.effect("lowers the refund's minimum where the fill runs it, or may run it once it comes: native currency or a gas topup, but no token alone", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, startInstance } = yield* Network
      const { url } = yield* startInstance({ FACTS_MAX_AGE_MS: "0" })
      const target = fresh(21)
      yield* holdMining(alpha)
      const token = { originCurrency: USDC.address, destinationCurrency: USDC.address, amount: `${USDC.some}` }
      // The same refund, so that they differ by what a reverted fill may take.
      const shown = Effect.forEach(
        [{ ...token, destinationCurrency: ETH.address }, { ...token, topupGas: true }, token],
        (changes) => Effect.map(quoteTo(url, OTHER, target, fresh(901), changes), shownOf)
      )
      const without = yield* shown
      yield* beta.setCode(target, SWITCHED)
      const present = yield* shown
      yield* resumeMining(alpha)
      for (const [native = 0n, topup = 0n, alone = 0n] of [without, present]) {
        assert.isTrue(native > alone && topup > alone, `${native}, ${topup}, ${alone}`)
      }
      assert.strictEqual(present[2], without[2])
    })))

  it.effect("when it was there at the quote: each of ten deposits pays for its own, at most what was shown, and the solver nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { beta }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ REVERTED_CALLS_USD: "0", FACTS_MAX_AGE_MS: "0" })
      const target = fresh(1)
      yield* beta.setCode(target, SWITCHED)
      const quotes = yield* Effect.forEach(
        Array.from({ length: TIMES }, (_, index) => index),
        (index) => quoteTo(url, ATTACKER, target, fresh(100 + index))
      )
      yield* frontRun(
        chains,
        Effect.forEach(quotes, (quoted) => deposit(ATTACKER, quoted)),
        target,
        ON,
        keyAt(chains, STRANGER),
        { fills: TIMES }
      )
      yield* eachPaysForItsOwn(url, quotes, 100)
      yield* clear(target)
      yield* othersAreServed(url, fresh(2), fresh(3))
      yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
    })))

  it.effect("when it comes between signature and block: each of ten deposits in flight pays for its own, and the solver nothing (REFUND-13)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { beta, solver }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ REVERTED_CALLS_USD: "0", FACTS_MAX_AGE_MS: "0" })
      const target = fresh(31)
      const quotes = yield* Effect.forEach(
        Array.from({ length: TIMES }, (_, index) => index),
        (index) => quoteTo(url, ATTACKER, target, fresh(300 + index))
      )
      yield* holdMining(beta)
      yield* Effect.forEach(quotes, (quoted) => deposit(ATTACKER, quoted))
      yield* eventually("the fills wait", pooled(beta, solver), (waiting) => waiting.length >= TIMES)
      // As one delegation of the recipient's key does: an instruction that takes all gas.
      yield* beta.setCode(target, "0xfe")
      yield* resumeMining(beta)
      yield* eachPaysForItsOwn(url, quotes, 300)
      yield* othersAreServed(url, fresh(32), fresh(33))
      yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
    })))

  it.effect("does not revert a fill where it is an ordinary wallet that somebody deploys between signature and block (PRICE-26)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { beta, solver }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ FACTS_MAX_AGE_MS: "0" })
      const target = fresh(51)
      const quoted = yield* quoteTo(url, OTHER, target, fresh(500))
      yield* holdMining(beta)
      yield* deposit(OTHER, quoted)
      yield* eventually("the fill waits", pooled(beta, solver), (waiting) => waiting.length >= 1)
      yield* beta.setCode(target, WALLET)
      yield* resumeMining(beta)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* assertDelivered(chains, quoted, target)
      yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
    })))

  it.effect("or takes more gas than when it was quoted, and succeeds, is paid less by that, and nothing where it hides it from its price (PRICE-26)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { beta }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ FACTS_MAX_AGE_MS: "0" })
      const [greedy, hiding] = [fresh(41), fresh(42)]
      yield* beta.setCode(greedy, GREEDY)
      yield* beta.setCode(hiding, HIDING)
      const [open, hidden] = [
        yield* quoteTo(url, ATTACKER, greedy, fresh(400), { slippageTolerance: "5000" }),
        yield* quoteTo(url, ATTACKER, hiding, fresh(401))
      ]
      yield* sendCall(beta, keyAt(chains, STRANGER), { to: greedy, data: ON })
      yield* deposit(ATTACKER, open)
      yield* deposit(ATTACKER, hidden)
      assert.deepInclude(yield* ended(url, open), { status: "success", failReason: "N/A" })
      const kept = BigInt(open.details.currencyIn.amount) - (yield* held(beta, ETH, greedy))
      const [keptUsd, spent] = [Number(kept) / 1e18 * 2_500, yield* spentUsd(chains, "beta", open)]
      const quotedUsd = Number(open.fees["relayer"]?.amount ?? 0) / 1e18 * 2_500
      assert.isTrue(spent > quotedUsd && keptUsd >= spent, `kept ${keptUsd}, spent ${spent}, quoted ${quotedUsd}`)
      const { failReason, status } = yield* ended(url, hidden)
      assert.deepStrictEqual([status, failReason], ["refund", "SLIPPAGE"])
      assert.strictEqual(yield* spentUsd(chains, "beta", hidden), 0)
      yield* othersAreServed(url, fresh(43), fresh(44))
      yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
    })))

  it.effect("when fees have risen beyond what was quoted: ten from one sender cost the solver at most that sender's tenth of the cap, and the rest goes back", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { beta }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ REVERTED_CALLS_USD: "2", FACTS_MAX_AGE_MS: "0" })
      const target = fresh(11)
      yield* holdMining(beta)
      yield* cheapBlocks(chains)
      const [quoted, ...later] = yield* Effect.forEach(
        Array.from({ length: TIMES }, (_, index) => index),
        (index) => quoteTo(url, ATTACKER, target, fresh(200 + index))
      )
      assert.isDefined(quoted)
      yield* beta.setCode(target, SWITCHED)
      // What a fill may cost is now five times the tip, of which a deposit has agreed to three.
      yield* mineAt(beta, 2n * GWEI)
      yield* frontRun(chains, deposit(ATTACKER, quoted), target, ON, keyAt(chains, STRANGER), { baseFee: 4n * GWEI })
      assert.strictEqual((yield* ended(url, quoted)).failReason, "TRANSACTION_REVERTED")
      const lost = yield* eventually("its loss counts", lostUsd(url), (usd) => usd > 0)
      assert.isAtMost(lost, 0.2)
      yield* clear(target)
      yield* holdMining(beta)
      yield* mineAt(beta, 2n * GWEI)
      yield* Effect.forEach(later, (each) => deposit(ATTACKER, each))
      for (const each of later) {
        const { failReason, status } = yield* ended(url, each)
        assert.deepStrictEqual([status, failReason], ["refund", "SOLVER_CAPACITY_EXCEEDED"])
      }
      assert.strictEqual(yield* alarms(url, "reverted-calls-capped"), TIMES - 1)
      assert.strictEqual(yield* lostUsd(url), lost)
      yield* cheapBlocks(chains)
      yield* resumeMining(beta)
      yield* othersAreServed(url, fresh(12), fresh(13))
      yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
    })))
})
