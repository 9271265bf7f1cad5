import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, parseEther, toHex } from "viem"
import type { Hex } from "viem"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { changeBeside } from "../../testing/BesideStore.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { ended, execute, nativeRequest, post, quote, sendCall } from "../../testing/Client.ts"
import { eventually, holdMining, orderIdOf, resumeMining } from "../../testing/Misbehaving.ts"
import { FLAGGED, frontRun, ON } from "../../testing/RevertingCalls.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { keyOf, ledgerOf, movementsOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { ETH, GEM, held, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const BALANCE = 1_000_000n
const CAP = 20_000n
const RICH = 10_000_000n

const revoke = (store: string, id: string) =>
  changeBeside(store, (opened) => {
    opened.prepare("UPDATE api_keys SET revoked_at = 1 WHERE id = ?").run(id)
  })

/** One sponsor for each test, so that balances show only one test. */
const sponsor = (n: number, balance = BALANCE): TestSponsor => ({
  id: `sponsor-${n}`,
  wallet: toHex(0x5b0_0000 + n, { size: 20 }),
  balance
})

const sponsors = [1, 2, 4, 5, 6, 7, 8, 9].map((n) => sponsor(n)).concat(
  sponsor(3, CAP + 1n),
  sponsor(10, RICH),
  sponsor(11, RICH)
)

class Running extends fixtureOf<Running>()("test/SponsoredFills", startFixture(startNetwork, { sponsors })) {}

const fresh = (n: number): Hex => toHex(0x5f1_0000_0000 + n, { size: 20 })

/** A sponsored transfer of 25 USDC of the user n from alpha to beta, to a new account. */
const ask = Effect.fnUntraced(function*(n: number, by: number, changes: object = {}) {
  const running = yield* Running
  const answer = yield* post(
    `${running.url}/quote`,
    requestOf(running, n, [USDC, USDC], {
      recipient: fresh(n),
      refundTo: fresh(100 + n),
      subsidizeFees: true,
      ...changes
    }),
    keyOf(sponsor(by))
  )
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
})

const deposit = Effect.fnUntraced(function*(n: number, quoted: SponsoredQuote) {
  const { chains, key } = yield* Running
  yield* execute(chains.alpha, key(n), quoted)
})

/** Any amount in the name of the quote's order. */
const depositOther = Effect.fnUntraced(function*(n: number, quoted: SponsoredQuote, amount: bigint) {
  const { chains: { alpha }, key, user } = yield* Running
  yield* sendCall(alpha, key(n), {
    to: USDC.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [addressOf("Depository"), amount] })
  })
  yield* sendCall(alpha, key(n), {
    to: addressOf("Depository"),
    data: encodeFunctionData({
      abi: depositoryAbi,
      functionName: "depositErc20",
      args: [user(n), USDC.address, amount, orderIdOf(quoted)]
    })
  })
})

let swaps = 0

const delivered = Effect.fnUntraced(function*(n: number) {
  return yield* held((yield* Running).chains.beta, USDC, fresh(n))
})

const settled = Effect.fnUntraced(function*(quoted: SponsoredQuote) {
  const { url } = yield* Running
  return (yield* eventually("settled", actualOf(url, quoted), (actual) => actual !== undefined)) ??
    assert.fail("not settled")
})

/** The ledger's accounts of one sponsor: its wallet, its holds, its debts. */
const accounts = Effect.fnUntraced(function*(n: number) {
  const { store } = yield* Running
  const all = yield* ledgerOf(store)
  const wallet = sponsor(n).wallet ?? ""
  const held = Object.entries(all).filter(([account]) => account.startsWith(`Hold:${wallet}`)).reduce(
    (sum, [, units]) => sum + units,
    0n
  )
  return { wallet: all[`Wallet:${wallet}`] ?? 0n, held, receivable: all[`Receivable:${wallet}`] ?? 0n, all }
})

const endOf = Effect.fnUntraced(function*(quoted: SponsoredQuote) {
  return yield* ended((yield* Running).url, quoted)
})

const drawOf = (quoted: SponsoredQuote): bigint => BigInt(quoted.feeSponsorship.quoted.sponsoredTotal.amount)

layer(Running.layer, { excludeTestServices: true })("a sponsored fill", (it) => {
  it.effect("delivers the whole amount, and the sponsor pays the actual cost, at most what was quoted", () =>
    Effect.gen(function*() {
      const quoted = yield* ask(0, 1)
      yield* deposit(0, quoted)
      yield* eventually("held", accounts(1), ({ held }) => held === drawOf(quoted))
      assert.strictEqual((yield* endOf(quoted)).status, "success")
      assert.strictEqual(yield* delivered(0), 25_000_000n)
      const { components, sponsoredTotal, sponsorPayment, userPaysTotal } = yield* settled(quoted)
      const { all, held, wallet } = yield* accounts(1)
      assert.strictEqual(userPaysTotal.amount, "0")
      assert.strictEqual(sponsorPayment.amount, sponsoredTotal.amount)
      assert.strictEqual(sponsorPayment.address.toLowerCase(), USDC.address.toLowerCase())
      assert.isTrue(
        drawOf(quoted) > BigInt(sponsorPayment.amount) && BigInt(sponsorPayment.amount) > 20_000n,
        sponsorPayment.amount
      )
      assert.isTrue(
        BigInt(components["execution"]?.total.amount ?? 0) <=
          BigInt(quoted.feeSponsorship.quoted.components["execution"]?.total.amount ?? 0)
      )
      assert.strictEqual(wallet, BALANCE - BigInt(sponsorPayment.amount))
      assert.strictEqual(held, 0n)
      assert.strictEqual(Object.values(all).reduce((sum, units) => sum + units, 0n), 0n)
    }))

  it.effect("releases the money when the deposit is refunded, and holds nothing for dust", () =>
    Effect.gen(function*() {
      const quoted = yield* ask(1, 2)
      yield* depositOther(1, quoted, 10_000n)
      const end = yield* endOf(quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["failure", "AMOUNT_TOO_LOW_TO_REFUND"])
      const less = yield* ask(1, 2)
      yield* depositOther(1, less, 20_000_000n)
      assert.deepStrictEqual((yield* endOf(less)).failReason, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL")
      const forced = yield* ask(1, 2, { referrer: "force-refund" })
      yield* deposit(1, forced)
      assert.strictEqual((yield* endOf(forced)).status, "refund")
      const { held, wallet } = yield* accounts(2)
      assert.deepStrictEqual([wallet, held], [BALANCE, 0n])
    }))

  it.effect("two requests never spend the same balance: the second user pays, within the minimum; an exact output is refunded", () =>
    Effect.gen(function*() {
      const cap = { maxSubsidizationAmount: `${CAP}` }
      const first = yield* ask(2, 3, cap)
      const second = yield* ask(3, 3, cap)
      const exact = yield* ask(4, 3, { ...cap, tradeType: "EXACT_OUTPUT" })
      assert.strictEqual(drawOf(second), CAP)
      yield* deposit(2, first)
      yield* eventually("held", accounts(3), ({ held, wallet }) => held === CAP || wallet === 1n)
      yield* Effect.all([deposit(3, second), deposit(4, exact)], { concurrency: "unbounded" })
      assert.strictEqual((yield* endOf(first)).status, "success")
      assert.strictEqual((yield* endOf(second)).status, "success")
      assert.strictEqual((yield* endOf(exact)).failReason, "SPONSOR_BALANCE_TOO_LOW")
      assert.strictEqual(yield* delivered(2), BigInt(first.details.currencyOut.amount))
      const own = yield* settled(second)
      assert.deepStrictEqual([own.sponsoredTotal.amount, own.sponsorPayment.amount], ["0", "0"])
      const out = yield* delivered(3)
      assert.isTrue(
        out < BigInt(second.details.currencyOut.amount) && out >= BigInt(second.details.currencyOut.minimumAmount)
      )
      // The delivered amount is what is left after the fees that the user paid: the quoted ones, or less by now.
      assert.isTrue(25_000_000n - out >= BigInt(own.userPaysTotal.amount))
      yield* settled(first)
      const { held, wallet } = yield* accounts(3)
      assert.deepStrictEqual([wallet, held], [1n, 0n])
    }))

  it.effect("never draws more than was quoted for a larger deposit, and pays for one of two deposits", () =>
    Effect.gen(function*() {
      const quoted = yield* ask(5, 4, { destinationCurrency: addressOf("TestUSDT") })
      yield* depositOther(5, quoted, 50_000_000n)
      assert.strictEqual((yield* endOf(quoted)).status, "success")
      yield* depositOther(5, quoted, 25_000_000n)
      const { components, sponsorPayment } = yield* settled(quoted)
      assert.isTrue(BigInt(sponsorPayment.amount) <= drawOf(quoted))
      // Twice the amount has twice the service fee: the user pays the half that was not quoted.
      assert.strictEqual(
        components["service"]?.sponsored.amount,
        quoted.feeSponsorship.quoted.components["service"]?.total.amount
      )
      assert.strictEqual(components["service"]?.userPays.amount, components["service"]?.sponsored.amount)
      yield* eventually(
        "the second deposit is back",
        held((yield* Running).chains.alpha, USDC, fresh(105)),
        (units) => units > 0n
      )
      const { held: holding, wallet } = yield* accounts(4)
      assert.deepStrictEqual([wallet, holding], [BALANCE - BigInt(sponsorPayment.amount), 0n])
    }))

  it.effect("owes sponsored app fees to their recipients, and never settles them silently", () =>
    Effect.gen(function*() {
      const recipients = [fresh(201), fresh(202)]
      const quoted = yield* ask(6, 5, {
        appFees: [{ recipient: recipients[0], fee: "20" }, { recipient: recipients[1], fee: "10" }]
      })
      assert.strictEqual(quoted.feeSponsorship.quoted.components["app"]?.sponsored.amount, "75000")
      yield* deposit(6, quoted)
      assert.strictEqual((yield* endOf(quoted)).status, "success")
      assert.strictEqual(yield* delivered(6), 25_000_000n)
      const { sponsoredTotal, sponsorPayment } = yield* settled(quoted)
      assert.strictEqual(BigInt(sponsoredTotal.amount) - BigInt(sponsorPayment.amount), 75_000n)
      const { all, receivable, wallet } = yield* accounts(5)
      assert.strictEqual(wallet, BALANCE - BigInt(sponsorPayment.amount))
      assert.strictEqual(receivable, -75_000n)
      assert.deepStrictEqual(recipients.map((each) => all[`AppFeePending:${each}`]), [50_000n, 25_000n])
      assert.isFalse(Object.keys(all).some((account) => account.startsWith("AppFeePayable")))
    }))

  it.effect("books the user's part of an app fee as claimable, and the rest as owed", () =>
    Effect.gen(function*() {
      const recipient = fresh(203)
      const quoted = yield* ask(7, 6, {
        appFees: [{ recipient, fee: "30" }],
        maxSubsidizationAmount: "50000",
        sponsoredFeeComponents: ["app"]
      })
      yield* deposit(7, quoted)
      assert.strictEqual((yield* endOf(quoted)).status, "success")
      assert.strictEqual((yield* settled(quoted)).sponsorPayment.amount, "0")
      const { chains } = yield* Running
      const claimable = `AppFeePayable:${recipient}@${chains.alpha.chainId}:${USDC.address.toLowerCase()}`
      const { all } = yield* eventually("booked", accounts(6), (ledger) => claimable in ledger.all)
      assert.deepStrictEqual([all[claimable], all[`AppFeePending:${recipient}`]], [25_000n, 50_000n])
    }))

  it.effect("releases what it held when the fill cannot be made", () =>
    Effect.gen(function*() {
      const { chains, key } = yield* Running
      const target = fresh(204)
      yield* chains.beta.setCode(target, FLAGGED)
      const quoted = yield* ask(9, 8, { txs: [{ to: target, value: "0", data: "0x" }] })
      yield* frontRun(chains, deposit(9, quoted), target, ON, key(0))
      assert.strictEqual((yield* endOf(quoted)).failReason, "TRANSACTION_REVERTED")
      // The gas of the reverted fill is deducted from the refund, up to the shown amount.
      const refunded = yield* held(chains.alpha, USDC, fresh(109))
      assert.isTrue(
        refunded >= BigInt(quoted.details.refundCurrency.minimumAmount) && refunded < 25_000_000n - 300_000n,
        `${refunded}`
      )
      assert.deepStrictEqual(yield* movementsOf((yield* Running).store, quoted.steps[0]?.requestId ?? ""), [
        "hold",
        "release"
      ])
      const sponsored = yield* accounts(8)
      assert.deepStrictEqual([sponsored.wallet, sponsored.held], [BALANCE, 0n])
      assert.isUndefined(yield* actualOf((yield* Running).url, quoted))
    }))

  it.effect("releases what it held for a deposit that a reorg removes, and holds again when it is back", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, store, url, user } = yield* Running
      // So much that it waits for finality.
      const quoted = yield* quote(
        url,
        nativeRequest(user(0), alpha, beta, parseEther("60"), { subsidizeFees: true }),
        keyOf(sponsor(9))
      )
      const id = quoted.steps[0]?.requestId ?? ""
      yield* holdMining(alpha)
      const raw = yield* signDeposit(alpha, key(0), quoted)
      yield* sendRaw(alpha, raw)
      yield* alpha.mine()
      yield* eventually("held", accounts(9), ({ held, wallet }) => held > 0n && held + wallet === BALANCE)
      yield* alpha.reorg(1)
      yield* eventually("given back", accounts(9), ({ held, wallet }) => held === 0n && wallet === BALANCE)
      yield* sendRaw(alpha, raw)
      yield* resumeMining(alpha)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const actual = yield* eventually("settled", actualOf(url, quoted), (each) => each !== undefined)
      assert.deepStrictEqual(yield* movementsOf(store, id), ["capture", "hold", "hold", "release"])
      assert.strictEqual((yield* accounts(9)).wallet, BALANCE - BigInt(actual?.sponsorPayment.amount ?? 0))
    }))

  for (
    const [name, by, from, changes] of [
      ["all of it", 10, USDC, {}],
      ["up to its cap, in the middle of the swap", 10, USDC, {
        maxSubsidizationAmount: "60000",
        sponsoredFeeComponents: ["swap"]
      }],
      ["nothing but the rest", 10, USDC, { sponsoredFeeComponents: ["execution", "service"] }],
      ["all of it, an exact output", 10, USDC, { tradeType: "EXACT_OUTPUT", amount: `${GEM.some}` }],
      ["all of it, of ether", 10, ETH, { amount: `${ETH.some}` }]
    ] as const
  ) {
    it.effect(`of a swap pays ${name}, and inputs and outputs balance`, () =>
      Effect.gen(function*() {
        const { chains: { beta } } = yield* Running
        const vault = addressOf("Vault")
        const recipient = fresh(300 + swaps++)
        const had = yield* Effect.all([held(beta, from, vault), accounts(by)])
        const quoted = yield* ask(1, by, {
          originCurrency: from.address,
          destinationCurrency: GEM.address,
          recipient,
          ...changes
        })
        yield* deposit(1, quoted)
        assert.strictEqual((yield* endOf(quoted)).status, "success")
        const actual = yield* settled(quoted)
        const { components, sponsoredTotal, userPaysTotal } = quoted.feeSponsorship.quoted
        const [paid, got] = [had[0] - (yield* held(beta, from, vault)), yield* held(beta, GEM, recipient)]
        // A sponsored output is requested, and a few more units may arrive.
        const promised = BigInt(quoted.details.currencyOut.amount)
        assert.isTrue(got >= promised && got - promised < 10n ** 13n, `${got} of ${promised}`)
        assert.strictEqual(yield* held(beta, from, recipient), 0n)
        const market = (units: bigint) => from === ETH ? units * 1_250n : units * 10n ** 12n / 2n
        const [amountIn, userPays] = [BigInt(quoted.details.currencyIn.amount), BigInt(userPaysTotal.amount)]
        if (name.startsWith("all")) assert.deepStrictEqual([userPays, market(amountIn)], [0n, promised])
        // What the user and the sponsor pay is what is swapped, plus the fees that are not the source's.
        const others = ["execution", "service", "app"].reduce(
          (sum, each) => sum + BigInt(components[each]?.total.amount ?? 0),
          0n
        )
        const left = amountIn + BigInt(sponsoredTotal.amount) - paid - others
        assert.isTrue(left >= 0n && left <= (from === ETH ? 10n ** 9n : 3n), `${left} is left of ${amountIn}`)
        const after = yield* accounts(by)
        assert.strictEqual(had[1].wallet - after.wallet, BigInt(actual.sponsorPayment.amount))
        assert.isTrue(BigInt(actual.sponsorPayment.amount) <= (from === ETH ? RICH : drawOf(quoted)))
        assert.strictEqual(after.held, 0n)
        assert.strictEqual(Object.values(after.all).reduce((sum, units) => sum + units, 0n), 0n)
      }))
  }

  it.effect("of a swap that is paid later is priced again, with the sponsor paying no more; without its money it is refunded", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, store } = yield* Running
      const swap = { destinationCurrency: GEM.address, originCurrency: USDC.address }
      const [quoted, other] = [
        yield* ask(2, 11, { ...swap, recipient: fresh(311) }),
        yield* ask(3, 11, { ...swap, recipient: fresh(312) })
      ]
      const had = yield* held(beta, USDC, addressOf("Vault"))
      yield* alpha.request("evm_increaseTime", [60])
      yield* deposit(2, quoted)
      assert.deepStrictEqual([(yield* endOf(quoted)).status], ["success"])
      const promised = BigInt(quoted.details.currencyOut.amount)
      const got = yield* held(beta, GEM, fresh(311))
      assert.isTrue(got >= promised && got - promised < 10n ** 13n, `${got} of ${promised}`)
      const paid = had - (yield* held(beta, USDC, addressOf("Vault")))
      assert.isTrue(
        paid > 25_000_000n &&
          paid <= 25_000_000n + BigInt(quoted.feeSponsorship.quoted.components["swap"]?.total.amount ?? 0),
        `${paid}`
      )
      const actual = yield* settled(quoted)
      assert.isTrue(BigInt(actual.sponsorPayment.amount) >= paid - 25_000_000n)
      yield* revoke(store, "sponsor-11")
      yield* deposit(3, other)
      const end = yield* endOf(other)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "SPONSOR_BALANCE_TOO_LOW"])
      assert.strictEqual(yield* held(beta, GEM, fresh(312)), 0n)
    }))

  it.effect("a key that was revoked since the quote pays nothing", () =>
    Effect.gen(function*() {
      const { store } = yield* Running
      const quoted = yield* ask(8, 7)
      yield* revoke(store, "sponsor-7")
      yield* deposit(8, quoted)
      assert.strictEqual((yield* endOf(quoted)).status, "success")
      assert.strictEqual((yield* settled(quoted)).sponsorPayment.amount, "0")
      assert.isTrue((yield* delivered(8)) < 25_000_000n)
      assert.strictEqual((yield* accounts(7)).wallet, BALANCE)
    }))
})
