/**
 * Strangers' calls that succeed in the simulation and burn gas in the fill. They cost the user at most the amount that
 * the quote showed, and the solver at most REVERTED_CALLS_USD a day, no matter which user the request names. Several
 * hosts run one after the other over one store.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { ended, execute, nativeRequest, postQuote, quote, reader, sendCall, sendDeposit } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { mineAt, pooled, priceOut } from "../../testing/FeePressure.ts"
import { alarms, closed, eventually, holdMining, openDeposits, resumeMining } from "../../testing/Misbehaving.ts"
import {
  cheapBlocks,
  detectors,
  first,
  FLAGGED,
  frontRun,
  lostUsd,
  OFF,
  ON,
  spentUsd
} from "../../testing/RevertingCalls.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Network extends fixtureOf<Network>()("test/RevertingCalls", startNetwork) {}

const fresh = (index: number): Hex => toHex(0xdec0_0000_0000n + BigInt(index), { size: 20 })

const nameOf = (key: Hex) => privateKeyToAccount(key).address

const GWEI = 10n ** 9n

/** The gas that may be burnt, even for a call that does nothing. */
const CALLS_GAS = 500_000

/** The rest of a fill's gas limit. */
const VAULT_GAS = 600_000n

/** In native currency, which strangers have without a contract. */
const native = { originCurrency: ETH.address, destinationCurrency: ETH.address }

const keyOf = Effect.fnUntraced(function*(index: number) {
  const { chains: { users } } = yield* Network
  return users[index] ?? "0x"
})

/** A request of this user with one call. Its refund goes to a separate account. */
const calling = Effect.fnUntraced(function*(index: number, to: Hex, changes: object = {}) {
  const { chains: { alpha, beta } } = yield* Network
  const user = privateKeyToAccount(yield* keyOf(index)).address
  return {
    ...nativeRequest(user, alpha, beta, USDC.some),
    originCurrency: USDC.address,
    destinationCurrency: USDC.address,
    recipient: fresh(100 + index),
    txs: [{ to, value: "0", data: "0x" }],
    txsGasLimit: CALLS_GAS,
    ...changes
  }
})

const deposit = Effect.fnUntraced(function*(index: number, quoted: QuoteAnswer) {
  const { chains: { alpha } } = yield* Network
  return yield* execute(alpha, yield* keyOf(index), quoted)
})

/** What was deducted from a deposit: never more than the quote showed. */
const keptOf = Effect.fnUntraced(
  function*({ details: { refundCurrency } }: QuoteAnswer, refundTo: Hex, currency: TestCurrency = USDC) {
    const { chains: { alpha } } = yield* Network
    const back = yield* held(alpha, currency, refundTo)
    const [amount, least] = [BigInt(refundCurrency.amount), BigInt(refundCurrency.minimumAmount)]
    assert.isTrue(back >= least && back < amount, `${back} of ${amount}, at least ${least}`)
    return amount - back
  }
)

layer(Network.layer, { excludeTestServices: true })(
  "strangers' calls that burn gas only in the fill",
  (it) => {
    it.effect("by number, time, base fee, gas price, balance or flag: each user pays at most the amount shown, and the solver nothing", () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains, chains: { beta, solver }, environment, startInstance } = yield* Network
        const { url } = yield* startInstance()
        yield* holdMining(beta)
        yield* mineAt(beta, GWEI)
        const [height, { timestamp }] = [yield* beta.height, yield* Effect.promise(() => reader(beta).getBlock())]
        const later = timestamp + 60n
        const codes = [
          detectors.number(height + 1n),
          detectors.time(later),
          detectors.baseFee((GWEI * 3n) / 2n),
          detectors.gasPrice((GWEI * 5n) / 2n + GWEI / 4n),
          detectors.balance,
          FLAGGED
        ]
        const targets = codes.map((_, index) => fresh(index))
        yield* Effect.forEach(codes, (code, index) => beta.setCode(targets[index] ?? "0x", code), { discard: true })
        const quotes = yield* Effect.forEach(
          targets,
          (target, index) =>
            Effect.flatMap(calling(index, target, { refundTo: fresh(200 + index) }), (body) => quote(url, body))
        )
        yield* Effect.forEach(quotes, (quoted, index) => deposit(index, quoted), {
          concurrency: "unbounded",
          discard: true
        })
        const all = (waiting: ReadonlyArray<object>) => waiting.length === codes.length
        yield* eventually("all fills wait", pooled(beta, solver), all)
        // A block without them, as when other senders bid higher: they are broadcast again.
        yield* beta.request("anvil_dropAllTransactions")
        yield* mineAt(beta, GWEI)
        yield* eventually("all fills wait again", pooled(beta, solver), all)
        const stranger = yield* keyOf(9)
        const before = yield* Effect.forkChild(Effect.all([
          sendCall(beta, stranger, { to: targets[5] ?? "0x", data: ON, ...first }),
          sendCall(beta, yield* keyOf(8), { to: targets[4] ?? "0x", value: 1n, ...first })
        ], { concurrency: "unbounded" }))
        for (const index of [8, 9]) {
          yield* eventually(
            "the stranger waits",
            pooled(beta, privateKeyToAccount(yield* keyOf(index)).address),
            (waiting) => waiting.length > 0
          )
        }
        yield* beta.request("evm_setNextBlockTimestamp", [Number(later) + 1])
        yield* mineAt(beta, (GWEI * 9n) / 5n)
        assert.deepStrictEqual(
          (yield* Fiber.join(before)).map(({ status }) => status),
          ["success", "success"]
        )
        yield* resumeMining(beta)
        for (const [index, quoted] of quotes.entries()) {
          const { failReason, status } = yield* ended(url, quoted)
          assert.deepStrictEqual([status, failReason], ["refund", "TRANSACTION_REVERTED"], codes[index])
          const kept = Number(yield* keptOf(quoted, fresh(200 + index))) / 1e6
          const spent = (yield* spentUsd(chains, "beta", quoted)) + (yield* spentUsd(chains, "alpha", quoted))
          assert.isTrue(spent > 0.5 && kept >= spent * 0.95, `${codes[index]}: kept ${kept}, spent ${spent}`)
        }
        assert.strictEqual(yield* lostUsd(url), 0)
        // The next host would go on with what is open, and count it.
        yield* eventually("the fillings have ended", openDeposits(environment), (open) => open === 0)
      })))

    it.effect("beyond what deposits cover: within a sender's part of the cap and the whole cap, for any user; then covered calls and all other transfers are served, also after a restart", () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains, chains: { alpha, beta, solver }, startHost, startInstance } = yield* Network
        const [target, harmless] = [fresh(6), fresh(8)]
        yield* beta.setCode(target, FLAGGED)
        const keys = Array.from({ length: 11 }, generatePrivateKey)
        const [attacker, victim] = [keys[9] ?? "0x", keys[10] ?? "0x"]
        for (const each of keys) yield* alpha.setBalance(nameOf(each), 10n ** 20n)
        yield* beta.setBalance(nameOf(attacker), 10n ** 20n)
        const asking = yield* startInstance()
        yield* holdMining(beta)
        yield* cheapBlocks(chains)
        const of = (key: Hex, changes: object = {}) =>
          calling(0, target, { ...native, amount: ETH.some.toString(), user: nameOf(key), ...changes })
        // A deposit that covers its fill at the fees of its quote, and no more.
        const { details: { refundCurrency }, fees } = yield* quote(asking.url, yield* of(victim))
        const amount = (BigInt(fees["relayer"]?.amount ?? "0") * 51n) / 50n
        const shown = BigInt(refundCurrency.amount) - BigInt(refundCurrency.minimumAmount)
        yield* asking.stop
        // The uncovered part when fees have risen ninefold before it is filled.
        const limit = VAULT_GAS + BigInt(CALLS_GAS)
        const uncovered = Number(limit * 9n * GWEI - (amount - (shown - limit * GWEI))) / 1e18 * 2_500
        const cap = Math.ceil(uncovered * 10)
        const host = yield* startHost({ REVERTED_CALLS_USD: `${cap}` })
        const { url } = host
        const small = (key: Hex, changes: object = {}) =>
          Effect.flatMap(of(key, { amount: amount.toString(), ...changes }), (body) => quote(url, body))
        const dearer = mineAt(beta, 4n * GWEI)
        const atHighestFee = { baseFee: 8n * GWEI }
        const clear = Effect.andThen(
          sendCall(beta, attacker, { to: target, data: OFF, ...first }),
          Effect.andThen(holdMining(beta), cheapBlocks(chains))
        )

        // The attacker's first request is in the victim's name.
        const inVictimsName = yield* small(attacker, { user: nameOf(victim) })
        yield* dearer
        yield* frontRun(chains, sendDeposit(alpha, attacker, inVictimsName), target, ON, attacker, atHighestFee)
        yield* eventually("its loss counts", lostUsd(url), (lost) => lost > 0)
        yield* clear

        // The attacker's share is used up, no matter which user the next request names. The victim's share is not. The
        // victim's fill is stuck, and its replacement cannot cost more.
        const [again, own] = [
          yield* small(attacker, { user: fresh(7) }),
          yield* small(victim, { txs: [{ to: harmless, value: "0", data: "0x" }] })
        ]
        yield* dearer
        yield* Effect.all([sendDeposit(alpha, attacker, again), sendDeposit(alpha, victim, own)], {
          concurrency: "unbounded"
        })
        yield* eventually("the attacker's is refused", alarms(url, "reverted-calls-capped"), (count) => count === 1)
        // One that is replaced between the two reads is in neither: then nothing waits yet.
        const waiting = Effect.flatMap(
          pooled(beta, solver),
          (all) => Effect.forEach(all, ({ hash }) => Effect.promise(() => reader(beta).getTransaction({ hash })))
        ).pipe(Effect.catchDefect(() => Effect.succeed([])))
        const [signed] = yield* eventually("the victim's fill waits", waiting, (all) => all.length === 1)
        const { gas = 0n, maxFeePerGas: fee = 0n } = signed ?? {}
        const isDearer = Effect.map(waiting, ([now]) => (now?.maxFeePerGas ?? 0n) > fee)
        yield* priceOut(beta, fee, isDearer)
        const [replaced] = yield* eventually("its replacement waits", waiting, (all) => all.length === 1)
        assert.isTrue(
          (replaced?.gas ?? 0n) * (replaced?.maxFeePerGas ?? 0n) <= gas * fee && (replaced?.gas ?? 0n) > 0n,
          `${replaced?.gas} at ${replaced?.maxFeePerGas}, ${gas} at ${fee}`
        )
        yield* mineAt(beta, fee + 1n)
        yield* resumeMining(beta)
        assert.strictEqual((yield* ended(url, own)).status, "success")
        yield* eventually("what the attacker sent is back", closed(url, "refunded"), (count) => count === 2)

        // Nine more senders, whose fills really cost what was reserved.
        yield* clear
        const nine = keys.slice(0, 9)
        const all = yield* Effect.forEach(nine, (key) => small(key))
        const late = yield* small(victim)
        yield* dearer
        yield* frontRun(
          chains,
          Effect.forEach(all, (quoted, index) => sendDeposit(alpha, nine[index] ?? "0x", quoted), {
            concurrency: "unbounded"
          }),
          target,
          ON,
          attacker,
          { ...atHighestFee, fills: 9 }
        )
        for (const quoted of all) assert.strictEqual((yield* ended(url, quoted)).failReason, "TRANSACTION_REVERTED")
        const lost = yield* eventually("all losses count", lostUsd(url), (usd) => usd > cap - uncovered)
        assert.isAtMost(lost, cap)
        yield* host.kill("SIGKILL")

        // The cap is the store's, so it has no room for the victim either. Requests that their deposits cover are
        // served, and so are all requests without calls.
        yield* clear
        const second = yield* startInstance({ REVERTED_CALLS_USD: `${cap}` })
        yield* mineAt(beta, 8n * GWEI)
        const dear = yield* quote(second.url, yield* of(victim, { amount: (ETH.some * 10n).toString() }))
        const scarce = ((BigInt(dear.fees["relayer"]?.amount ?? "0") * 51n) / 50n).toString()
        const refused = yield* postQuote(second.url, yield* of(victim, { amount: scarce }))
        assert.strictEqual(refused.status, 400)
        assert.match(refused.text, /does not cover a refund.*AMOUNT_TOO_LOW/)
        yield* eventually("the alarm", alarms(second.url, "reverted-calls-capped"), (count) => count === 1)
        yield* quote(second.url, yield* of(victim, { amount: scarce, txs: undefined, txsGasLimit: undefined }))
        yield* dearer
        yield* sendDeposit(alpha, victim, late)
        assert.strictEqual((yield* ended(second.url, late)).failReason, "SOLVER_CAPACITY_EXCEEDED")
        yield* cheapBlocks(chains)
        const covered = { refundTo: fresh(400) }
        const onOrigin = yield* quote(second.url, yield* of(victim, { ...covered, refundOnOrigin: true }))
        const dusted = yield* quote(second.url, yield* of(nine[0] ?? "0x", { refundTo: fresh(401) }))
        const { depositAddress, quoted: addressed } = yield* addressFor(
          second.url,
          yield* of(nine[1] ?? "0x", { refundTo: fresh(402) })
        )
        // A stranger's dust for the same order comes first.
        yield* sendRaw(alpha, yield* signDeposit(alpha, attacker, dusted, { value: 1_000n }))
        const sent = Effect.all([
          sendDeposit(alpha, victim, onOrigin),
          sendDeposit(alpha, nine[0] ?? "0x", dusted),
          payTo(alpha, nine[1] ?? "0x", depositAddress, ETH, ETH.some)
        ], { concurrency: "unbounded" })
        yield* frontRun(chains, sent, target, ON, attacker, { fills: 3 })
        for (const [quoted, back] of [[onOrigin, 400], [dusted, 401], [addressed, 402]] as const) {
          assert.strictEqual((yield* ended(second.url, quoted)).failReason, "TRANSACTION_REVERTED")
          yield* keptOf(quoted, fresh(back), ETH)
        }
        assert.strictEqual(yield* lostUsd(second.url), 0)

        // The victim transfers again at once. A later deposit at the address that does not cover its calls is refunded.
        yield* clear
        yield* resumeMining(beta)
        const retried = yield* quote(second.url, yield* of(victim, covered))
        yield* Effect.all([
          sendDeposit(alpha, victim, retried),
          payTo(alpha, nine[1] ?? "0x", depositAddress, ETH, amount / 2n)
        ], { concurrency: "unbounded" })
        assert.strictEqual((yield* ended(second.url, retried)).status, "success")
        const before = yield* held(alpha, ETH, fresh(402))
        yield* eventually("what came later goes back", held(alpha, ETH, fresh(402)), (now) => now > before)
      })))
  }
)
