/** Who pays the fees of what comes to a deposit address (spec/1 §4.2.1 rule 4, spec/3 §5.5, §7): the cap's cliff, and each later deposit. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { payTo, requestsOf } from "../testing/Addressed.ts"
import { ended, post } from "../testing/Client.ts"
import { eventually } from "../testing/Misbehaving.ts"
import { addSponsors, keyOf, ledgerOf } from "../testing/Sponsor.ts"
import type { TestSponsor } from "../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../testing/Sponsored.ts"
import { held, USDC } from "../testing/Tokens.ts"
import { startNetwork } from "../testing/TransferNetwork.ts"

const BALANCE = 3_000_000n
const CAP = 1_000_000n

/** The second has enough for two transfers of 25 USDC, and not for a third. */
const sponsors: ReadonlyArray<TestSponsor> = [BALANCE, 1_500_000n].map((balance, n) => ({ id: `address-${n}`, wallet: toHex(0x5bad_0000 + n, { size: 20 }), balance }))

const makeRunning = Effect.gen(function*() {
  const network = yield* startNetwork
  const store = network.environment["DATABASE_URL"] ?? ""
  yield* addSponsors(store, sponsors)
  // Without a base fee gas costs the same in every block, and a cap can be named to the unit.
  yield* Effect.forEach([network.chains.alpha, network.chains.beta], (anvil) => anvil.request("anvil_setNextBlockBaseFeePerGas", ["0x0"]))
  yield* Effect.sleep("2500 millis")
  const { url } = yield* network.startHost()
  return { ...network, store, url }
})

class Running extends Context.Service<Running, Effect.Success<typeof makeRunning>>()("test/SponsoredAddresses") {
  static readonly layer = Layer.effect(Running, makeRunning)
}

const decodeSteps = Schema.decodeUnknownSync(Schema.Struct({ steps: Schema.Array(Schema.Struct({ depositAddress: Schema.TemplateLiteral(["0x", Schema.String]) })) }))

const fresh = (n: number): Hex => toHex(0x5ad_0000_0000 + n, { size: 20 })

const sponsorOf = (n: number): TestSponsor => sponsors[n] ?? assert.fail("no such sponsor")

const post25 = Effect.fnUntraced(function*(by: number, n: number, changes: object) {
  const { chains, url } = yield* Running
  return yield* post(`${url}/quote`, {
    user: privateKeyToAccount(chains.users[0] ?? "0x").address,
    recipient: fresh(n),
    refundTo: fresh(100 + n),
    originChainId: chains.alpha.chainId,
    destinationChainId: chains.beta.chainId,
    originCurrency: USDC.address,
    destinationCurrency: USDC.address,
    amount: `${USDC.some}`,
    tradeType: "EXACT_INPUT",
    useDepositAddress: true,
    subsidizeFees: true,
    ...changes
  }, keyOf(sponsorOf(by)))
})

/** A sponsored deposit address for 25 USDC from alpha to beta, to an account that nobody has used. */
const ask = Effect.fnUntraced(function*(by: number, n: number, changes: object = {}) {
  const answer = yield* post25(by, n, changes)
  assert.strictEqual(answer.status, 200, answer.text)
  const quoted = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
  return { quoted, depositAddress: decodeSteps(answer.json()).steps[0]?.depositAddress ?? "0x" }
})

/** Anybody pays. */
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

/** What the sponsor has when nothing of it is held any more. */
const booked = Effect.fnUntraced(function*(by: number) {
  const { store } = yield* Running
  yield* eventually("nothing is held", ledgerOf(store), (all) => !Object.keys(all).some((account) => account.startsWith(`Hold:${sponsorOf(by).wallet}`)))
  return yield* walletOf(by)
})

const settled = Effect.fnUntraced(function*(quoted: SponsoredQuote) {
  return (yield* eventually("settled", actualOf((yield* Running).url, quoted), (actual) => actual !== undefined)) ?? assert.fail("not settled")
})

layer(Running.layer, { excludeTestServices: true })("a sponsored deposit address", (it) => {
  it.effect("strict: the exact amount is delivered whole, and the fee is drawn; a selection is refused", () =>
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

  it.effect("is a cliff: a cap of exactly the fees covers all of them, a cap of one unit less nothing", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const fees = BigInt((yield* ask(0, 2)).quoted.feeSponsorship.quoted.sponsoredTotal.amount)
      const at = (yield* ask(0, 2, { maxSubsidizationAmount: `${fees}` })).quoted
      assert.deepInclude(at.feeSponsorship.quoted, { capHit: false })
      assert.deepStrictEqual([at.feeSponsorship.quoted.sponsoredTotal.amount, at.details.currencyOut.amount], [`${fees}`, `${USDC.some}`])
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

  it.effect("open: later deposits are sponsored as well while the balance lasts, and then the user pays", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { depositAddress, quoted } = yield* ask(1, 3)
      const requests = (count: number) =>
        eventually(`${count} requests succeed`, requestsOf(url, depositAddress), (found) => found.length === count && found.every(({ status }) => status === "success"))
      yield* send(depositAddress)
      yield* requests(1)
      yield* settled(quoted)
      const paid = [(yield* delivered(3))]
      let wallet = yield* booked(1)
      assert.isTrue(wallet < sponsorOf(1).balance)
      // As long as the whole amount arrives, somebody else has paid for it.
      while (paid.at(-1) === USDC.some && paid.length < 8) {
        yield* send(depositAddress)
        yield* requests(paid.length + 1)
        paid.push((yield* delivered(3)) - paid.reduce((all, each) => all + each, 0n))
        const left = yield* booked(1)
        assert.strictEqual(left < wallet, paid.at(-1) === USDC.some, `${wallet} → ${left} for ${paid.join(", ")}`)
        wallet = left
      }
      const last = paid.at(-1) ?? 0n
      assert.isTrue(paid.length > 2 && last > 0n && last < USDC.some && wallet >= 0n, paid.join(", "))
    }), 100_000)
})
