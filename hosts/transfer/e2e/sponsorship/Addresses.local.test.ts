/**
 * Who pays the fees of deposits at a deposit address (SPONSOR-7, ADDRESS-11): around the exact cap, for the first
 * deposit, and for each later one.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther, toHex } from "viem"
import type { Hex } from "viem"
import { MicroUsdc } from "../../../../src/domain/ledger/MicroUsdc.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { payTo, requestsOf } from "../../testing/Addressed.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { numberBeside } from "../../testing/BesideStore.ts"
import { ended, post, reader } from "../../testing/Client.ts"
import { eventually, holdMining, resumeMining } from "../../testing/Misbehaving.ts"
import { sendRaw, signTransfer } from "../../testing/SignedDeposit.ts"
import { keyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import { calm } from "../../testing/FeePressure.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN = "a-token-of-thirty-two-characters-or-more"
const BALANCE = 3_000_000n
const CAP = 1_000_000n

/** Enough for one later deposit of 25 USDC, and not for two. */
const BUDGET = 800_000n

/** The second lets later deposits draw something. The third has a large balance to lose. */
const sponsors: ReadonlyArray<TestSponsor> = [BALANCE, BALANCE, 200_000_000n, BALANCE, BALANCE].map((balance, n) => ({
  id: `address-${n}`,
  wallet: toHex(0x5bad_0000 + n, { size: 20 }),
  balance,
  ...(n === 1 ? { budget: { laterPerAddressPerDay: MicroUsdc(BUDGET) } } : {})
}))

class Running extends fixtureOf<Running>()(
  "test/SponsoredAddresses",
  startFixture(Effect.tap(startNetwork, calm), { settings: { ADMIN_TOKEN: ADMIN }, sponsors })
) {}

const decodeSteps = Schema.decodeUnknownSync(
  Schema.Struct({
    steps: Schema.Array(Schema.Struct({ depositAddress: Schema.TemplateLiteral(["0x", Schema.String]) }))
  })
)

const decodePool = Schema.decodeUnknownSync(Schema.Struct({ pending: Schema.String }))

const decodeRetried = Schema.decodeUnknownSync(Schema.Struct({ deposits: Schema.Int }))

/** The highest number of sightings of one deposit. */
const sightings = (store: string) => numberBeside(store, "SELECT MAX(sighting) AS n FROM deposits")

const failedSweeps = (store: string, depositAddress: Hex) =>
  numberBeside(store, `SELECT COUNT(*) AS n FROM sweeps WHERE state = 'void' AND address = '${depositAddress}'`)

const sentBy = (anvil: Anvil, account: Hex) =>
  Effect.promise(() => reader(anvil).getTransactionCount({ address: account }))

const fresh = (n: number): Hex => toHex(0x5ad_0000_0000 + n, { size: 20 })

const sponsorOf = (n: number): TestSponsor => sponsors[n] ?? assert.fail("no such sponsor")

const post25 = Effect.fnUntraced(function*(by: number, n: number, changes: object) {
  const running = yield* Running
  const own = { recipient: fresh(n), refundTo: fresh(100 + n), useDepositAddress: true, subsidizeFees: true }
  return yield* post(
    `${running.url}/quote`,
    requestOf(running, 0, [USDC, USDC], { ...own, ...changes }),
    keyOf(sponsorOf(by))
  )
})

/** A sponsored deposit address for 25 USDC from alpha to beta, to a new account. */
const ask = Effect.fnUntraced(function*(by: number, n: number, changes: object = {}) {
  const answer = yield* post25(by, n, changes)
  assert.strictEqual(answer.status, 200, answer.text)
  const quoted = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
  return { quoted, depositAddress: decodeSteps(answer.json()).steps[0]?.depositAddress ?? "0x" }
})

/** A payment by any account. */
const send = Effect.fnUntraced(function*(to: Hex) {
  const { chains } = yield* Running
  yield* payTo(chains.alpha, chains.users[1] ?? "0x", to, USDC, USDC.some)
})

const delivered = Effect.fnUntraced(function*(n: number) {
  return yield* held((yield* Running).chains.beta, USDC, fresh(n))
})

const walletOf = Effect.fnUntraced(function*(by: number) {
  const all = yield* ledgerOf((yield* Running).store)
  return all[`Wallet:${sponsorOf(by).wallet}`] ?? 0n
})

/** The sponsor's balance when none of it is held any more. */
const booked = Effect.fnUntraced(function*(by: number) {
  const { store } = yield* Running
  yield* eventually(
    "nothing is held",
    ledgerOf(store),
    (all) => !Object.keys(all).some((account) => account.startsWith(`Hold:${sponsorOf(by).wallet}`))
  )
  return yield* walletOf(by)
})

const settled = Effect.fnUntraced(function*(quoted: SponsoredQuote) {
  return (yield* eventually("settled", actualOf((yield* Running).url, quoted), (actual) => actual !== undefined)) ??
    assert.fail("not settled")
})

layer(Running.layer, { excludeTestServices: true })("a sponsored deposit address", (it) => {
  it.effect("strict: the exact amount is delivered whole, and the fee is drawn; a list of components is refused", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const refused = yield* post25(0, 1, { sponsoredFeeComponents: ["execution"] })
      assert.strictEqual(refused.status, 400)
      assert.include(refused.text, "sponsoredFeeComponents")
      const { depositAddress, quoted } = yield* ask(0, 1, { strict: true, maxSubsidizationAmount: `${CAP}` })
      const before = yield* walletOf(0)
      yield* send(depositAddress)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* delivered(1), USDC.some)
      const { sponsorPayment, userPaysTotal } = yield* settled(quoted)
      const drawn = BigInt(sponsorPayment.amount)
      assert.isTrue(drawn > 0n && drawn <= BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount))
      assert.deepStrictEqual([userPaysTotal.amount, yield* walletOf(0)], ["0", before - drawn])
    }))

  it.effect("is all or nothing: a cap of exactly the fees covers all of them, a cap of one unit less covers none", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const fees = BigInt((yield* ask(0, 2)).quoted.feeSponsorship.quoted.sponsoredTotal.amount)
      const at = (yield* ask(0, 2, { maxSubsidizationAmount: `${fees}` })).quoted
      assert.deepInclude(at.feeSponsorship.quoted, { capHit: false })
      assert.deepStrictEqual([at.feeSponsorship.quoted.sponsoredTotal.amount, at.details.currencyOut.amount], [
        `${fees}`,
        `${USDC.some}`
      ])
      const over = yield* ask(0, 2, { maxSubsidizationAmount: `${fees - 1n}` })
      const { capHit, sponsoredTotal, userPaysTotal } = over.quoted.feeSponsorship.quoted
      assert.deepStrictEqual([capHit, sponsoredTotal.amount], [true, "0"])
      const out = BigInt(over.quoted.details.currencyOut.amount)
      assert.isTrue(BigInt(userPaysTotal.amount) > 0n && USDC.some - out >= BigInt(userPaysTotal.amount))
      const before = yield* walletOf(0)
      yield* send(over.depositAddress)
      assert.strictEqual((yield* ended(url, over.quoted)).status, "success")
      assert.strictEqual(yield* delivered(2), out)
      assert.strictEqual((yield* settled(over.quoted)).sponsorPayment.amount, "0")
      assert.strictEqual(yield* walletOf(0), before)
    }))

  it.effect("open: a stranger who pays to one quote twelve times, each topup included, costs its sponsor what was quoted", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const small = 1_000_000n
      const { depositAddress, quoted } = yield* ask(2, 3, {
        amount: `${small}`,
        topupGas: true,
        topupGasAmount: "10000000"
      })
      const offered = BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount)
      assert.isTrue(offered > 10_000_000n)
      for (let sent = 1; sent <= 12; sent += 1) {
        yield* payTo(chains.alpha, chains.users[1] ?? "0x", depositAddress, USDC, small)
        yield* eventually(
          `${sent} are swept`,
          requestsOf(url, depositAddress),
          (found) => found.length === sent && found.every(({ status }) => status !== "waiting")
        )
      }
      yield* eventually(
        "all end",
        requestsOf(url, depositAddress),
        (found) => found.every(({ status }) => status === "success")
      )
      const left = yield* booked(2)
      assert.isTrue(left >= sponsorOf(2).balance - offered, `${sponsorOf(2).balance - left} drawn of ${offered}`)
      // The first is delivered completely with its topup. For the others the user pays the fees, and there is no topup.
      const out = yield* delivered(3)
      assert.isTrue(left < sponsorOf(2).balance && out > small && out < 12n * small)
      const topup = yield* held(chains.beta, ETH, fresh(3))
      assert.isTrue(topup > 0n && topup < 10n ** 18n / 100n, `${topup}`)
    }))

  it.effect("open: the user pays for a smaller first deposit, which leaves the sponsorship for the quoted amount; later ones have the daily budget", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { depositAddress, quoted } = yield* ask(1, 4)
      const offered = BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount)
      assert.isTrue(offered <= BUDGET && BUDGET < 2n * offered, `${offered}`)
      const come = Effect.fnUntraced(function*(units: bigint, requests: number) {
        const [before, out] = [yield* booked(1), yield* delivered(4)]
        yield* payTo(chains.alpha, chains.users[1] ?? "0x", depositAddress, USDC, units)
        yield* eventually(
          `${requests} requests succeed`,
          requestsOf(url, depositAddress),
          (found) => found.length === requests && found.every(({ status }) => status === "success")
        )
        const fee = units - ((yield* delivered(4)) - out)
        if (fee === 0n) yield* eventually("it is drawn", walletOf(1), (now) => now < before)
        return { fee, drawn: before - (yield* booked(1)) }
      })
      const smaller = yield* come(USDC.some - 1n, 1)
      assert.isTrue(smaller.fee > 0n && smaller.drawn === 0n)
      assert.strictEqual((yield* settled(quoted)).sponsoredTotal.amount, "0")
      const whole = yield* come(USDC.some, 2)
      assert.isTrue(whole.fee === 0n && whole.drawn > 0n && whole.drawn <= offered, `${whole.fee} ${whole.drawn}`)
      const later = yield* come(USDC.some, 3)
      assert.isTrue(later.fee === 0n && later.drawn > 0n && later.drawn <= BUDGET, `${later.fee} ${later.drawn}`)
      const spent = yield* come(USDC.some, 4)
      assert.isTrue(spent.fee > 0n && spent.drawn === 0n, `${spent.fee} ${spent.drawn}`)
    }))

  it.effect("open: a deposit that does not cover the order's topup is refunded, and the next one gets sponsorship and topup", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const before = yield* walletOf(2)
      const { depositAddress, quoted } = yield* ask(2, 6, { topupGas: true, topupGasAmount: "10000000" })
      yield* payTo(chains.alpha, chains.users[1] ?? "0x", depositAddress, USDC, 5_000_000n)
      assert.strictEqual((yield* ended(url, quoted)).status, "refund")
      assert.deepStrictEqual([yield* delivered(6), yield* booked(2)], [0n, before])
      yield* send(depositAddress)
      yield* eventually(
        "it succeeds",
        requestsOf(url, depositAddress),
        ([newest, ...others]) => others.length === 1 && newest?.status === "success"
      )
      yield* eventually("it is drawn", walletOf(2), (now) => now < before)
      assert.strictEqual(yield* delivered(6), USDC.some)
      assert.isTrue((yield* held(chains.beta, ETH, fresh(6))) > 0n)
      assert.isTrue(before - (yield* booked(2)) <= BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount))
    }))

  it.effect("open: rechecked by an operator it is held once; a reorg that removes it frees the sponsorship, which another request then draws once", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, operator, users }, store, url } = yield* Running
      // The second amount is so large that it waits for finality.
      const [little, much] = [parseEther("1"), parseEther("60")]
      const { depositAddress, quoted } = yield* ask(3, 7, {
        originCurrency: ETH.address,
        destinationCurrency: ETH.address,
        amount: `${much}`
      })
      const offered = BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amountUsd.replace(".", ""))
      const pay = (units: bigint) => payTo(alpha, users[1] ?? "0x", depositAddress, ETH, units)
      const out = held(beta, ETH, fresh(7))
      const succeeded = (many: number) =>
        eventually(
          `${many} succeed`,
          requestsOf(url, depositAddress),
          (found) => found.filter(({ status }) => status === "success").length === many
        )
      // The user pays for the address's own request. The deposit with the sponsorship is then a separate request.
      yield* pay(little)
      yield* succeeded(1)
      const before = yield* out
      assert.isTrue(before > 0n && before < little)
      assert.strictEqual(yield* booked(3), BALANCE)

      // In two blocks, the payment's and the sweep's.
      yield* holdMining(alpha)
      yield* sendRaw(alpha, yield* signTransfer(alpha, users[1] ?? "0x", depositAddress, much))
      yield* alpha.mine(1)
      yield* eventually(
        "the sweep is broadcast",
        Effect.map(alpha.request("txpool_status"), decodePool),
        ({ pending }) => pending !== "0x0"
      )
      yield* alpha.mine(1)
      const holds = Effect.map(
        ledgerOf(store),
        (all) =>
          Object.entries(all).flatMap(([account, units]) =>
            account.startsWith(`Hold:${sponsorOf(3).wallet}`) ? [units] : []
          )
      )
      const isHeld = yield* eventually("it is held", holds, (found) => found.length > 0)
      assert.isTrue(isHeld.length === 1 && isHeld.every((units) => units <= offered), `${isHeld.join()} of ${offered}`)
      const [second] = yield* requestsOf(url, depositAddress)
      for (let times = 0; times < 3; times += 1) {
        const { deposits } = decodeRetried(
          (yield* post(`${url}/admin/requests/${second?.id ?? ""}/retry`, {}, { authorization: `Bearer ${ADMIN}` }))
            .json()
        )
        assert.strictEqual(deposits, 1)
      }
      yield* eventually("its fillings have begun again", sightings(store), (most) => most === 4)
      assert.deepStrictEqual(yield* holds, isHeld)

      const swept = yield* sentBy(alpha, operator)
      yield* alpha.reorg(2)
      // Sent again from its bytes, the sweep finds nothing. The next payment is swept by another transaction, for its
      // own request.
      yield* resumeMining(alpha)
      yield* eventually("the sweep is made again", sentBy(alpha, operator), (now) => now === swept)
      assert.strictEqual(yield* booked(3), BALANCE)
      yield* eventually("it moved nothing", failedSweeps(store, depositAddress), (count) => count === 1)
      yield* pay(much)
      yield* succeeded(2)
      assert.strictEqual((yield* out) - before, much)
      const [third, ...others] = yield* requestsOf(url, depositAddress)
      assert.isTrue(
        third?.status === "success" && third.id !== second?.id &&
          others.some(({ id, status }) => id === second?.id && status === "waiting")
      )
      yield* eventually("it is drawn", walletOf(3), (now) => now < BALANCE)
      const left = yield* booked(3)
      assert.isTrue(BALANCE - left <= offered, `${BALANCE - left} of ${offered}`)
      yield* pay(much)
      yield* succeeded(3)
      assert.isTrue((yield* out) - before < 2n * much)
      assert.strictEqual(yield* booked(3), left)
    }))

  it.effect("open: the user pays everything for a larger first deposit that costs more than was quoted", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const before = yield* walletOf(0)
      const { depositAddress, quoted } = yield* ask(0, 5, { appFees: [{ recipient: fresh(200), fee: "100" }] })
      const sponsored = BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount)
      yield* payTo(chains.alpha, chains.users[1] ?? "0x", depositAddress, USDC, 2n * USDC.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.isTrue((yield* delivered(5)) <= 2n * USDC.some - sponsored)
      assert.strictEqual((yield* settled(quoted)).sponsoredTotal.amount, "0")
      assert.strictEqual(yield* booked(0), before)
    }))

  // The last test, because the chain's clock is eight days ahead from here on.
  it.effect("open: an order that is renewed for a late deposit draws what was quoted, and the next late one nothing", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, url } = yield* Running
      const { depositAddress, quoted } = yield* ask(4, 8, { latePaymentSlippageTolerance: "500" })
      yield* alpha.request("evm_increaseTime", [8 * 86_400])
      yield* alpha.mine()
      yield* send(depositAddress)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* delivered(8), USDC.some)
      yield* eventually("it is drawn", walletOf(4), (now) => now < BALANCE)
      const left = yield* booked(4)
      assert.isTrue(BALANCE - left <= BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount))
      yield* send(depositAddress)
      yield* eventually(
        "the next succeeds",
        requestsOf(url, depositAddress),
        (found) => found.length === 2 && found.every(({ status }) => status === "success")
      )
      assert.isTrue((yield* delivered(8)) < 2n * USDC.some)
      assert.strictEqual(yield* booked(4), left)
    }))
})
