/**
 * Contracts on Tron that a caller names as recipient or for refunds, and that take more energy for the payment than they
 * show to a quote: the solver burns no more than the bound (TRON-23).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther, zeroAddress } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { PLAIN_CALL_ENERGY } from "../../../../src/domain/families/tron/cost/TronCosts.ts"
import { base58Of, evmAddress } from "../../../localnet/nodes/tron/node/Account.ts"
import { prices } from "../../../localnet/nodes/tron/node/Fees.ts"
import { tronSlug } from "../../../localnet/nodes/tron/TronChain.ts"
import { burner, writer } from "../../../localnet/nodes/tron/testing/OddContracts.ts"
import { execute, quote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { balanceOf, closed, counter, eventually } from "../../testing/Misbehaving.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { carriedOut, fromTron, quoteTron, toTron } from "../../testing/TronClient.ts"
import { startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

class Running extends fixtureOf<Running>()("test/TronRecipients", startFixture(startTronNetwork)) {}

const ONE = 1_000_000n
/** Far above what any plain payment may take: 2,000 TRX at the local prices. */
const EVERYTHING = 255
/** Sun: energy, and the bytes of a call. */
const BOUND = PLAIN_CALL_ENERGY * BigInt(prices.energy) + 400_000n
/** Three new slots of storage, a fifth more energy than a trial shows, stay below the bound. */
const USUAL = 3

const deployed = Effect.fnUntraced(function*(slots: number, contract: typeof burner = burner) {
  const { tron } = yield* Running
  const somebody = yield* tron.wallet("somebody")
  const { arguments: encoded, code, name } = contract(slots)
  const id = yield* Effect.promise(() => somebody.create(name, [], code, encoded))
  yield* tron.mine()
  const { created } = tron.chain.ledger.placeOf(id)?.executed ?? {}
  return created === undefined ? assert.fail("it was not deployed") : base58Of(evmAddress(created))
})

layer(Running.layer, { excludeTestServices: true })("a contract that burns more than a quote shows", (it) => {
  it.effect("is not paid above the bound: the deposit is refunded, and the solver burns nothing", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, key, tron, tronSolver, url, user, whileMining } = yield* Running
      const [recipient, refundTo] = [yield* deployed(EVERYTHING), fresh()]
      const held = heldOnTron(TRX, tronSolver.address)
      const before = yield* held
      const quoted = yield* quote(url, toTron(user(0), recipient, chains.alpha.chainId, TRX, { refundTo }))
      yield* execute(chains.alpha, key(0), quoted)
      assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "refund" })
      const returned = yield* balanceOf(chains.alpha, refundTo)
      assert.isTrue(returned > parseEther("0.04") && returned < parseEther("0.05"), `${returned}`)
      yield* tron.mine(25)
      assert.deepStrictEqual([yield* held, yield* heldOnTron(TRX, recipient)], [before, 0n])
    }))

  it.effect("is not paid within the bound either, where its price does not hold that (PRICE-26)", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, key, tron, tronSolver, url, user, whileMining } = yield* Running
      const [recipient, refundTo] = [yield* deployed(USUAL), fresh()]
      const held = heldOnTron(TRX, tronSolver.address)
      const before = yield* held
      const quoted = yield* quote(url, toTron(user(1), recipient, chains.alpha.chainId, TRX, { refundTo }))
      yield* execute(chains.alpha, key(1), quoted)
      assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "refund", failReason: "SLIPPAGE" })
      yield* tron.mine(25)
      assert.deepStrictEqual([yield* held, yield* heldOnTron(TRX, recipient)], [before, 0n])
    }))

  it.effect("is paid what it takes in its quote too, to the unit, and bears that", () =>
    Effect.gen(function*() {
      const { chains, heldOnTron, key, tronSolver, url, user, whileMining } = yield* Running
      const recipient = yield* deployed(USUAL, writer)
      const held = heldOnTron(TRX, tronSolver.address)
      const before = yield* held
      const quoted = yield* quote(url, toTron(user(1), recipient, chains.alpha.chainId, TRX))
      yield* execute(chains.alpha, key(1), quoted)
      assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "success" })
      const amount = BigInt(quoted.details.currencyOut.amount)
      assert.strictEqual(yield* heldOnTron(TRX, recipient), amount)
      const burnt = before - (yield* held) - amount
      assert.isTrue(burnt > 60_000n * BigInt(prices.energy) && burnt <= BOUND, `${burnt}`)
      // A TRX is 30 cents here, an ether 2,500 dollars.
      const fee = Number(quoted.fees["relayer"]?.amount ?? 0) / 1e18 * 2_500
      assert.isTrue(fee >= Number(burnt) / 1e6 * 0.3, `${fee} dollars for ${burnt}`)
    }))

  it.effect("pays with its deposit for a fill that fails in its block, and the rest counts as lost (REFUND-11)", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, key, tron, tronSolver, url, user, whileMining } = yield* Running
      const [recipient, refundTo] = [yield* deployed(EVERYTHING), fresh()]
      const held = heldOnTron(TRX, tronSolver.address)
      const before = yield* held
      const wish = { refundTo, slippageTolerance: "1000" }
      const quoted = yield* quote(url, toTron(user(2), recipient, chains.alpha.chainId, TRX, wish))
      const { amount, minimumAmount } = quoted.details.refundCurrency
      // As if the contract took little in the trial alone.
      yield* tron.setFault({
        kind: "lie",
        methods: ["/wallet/triggerconstantcontract"],
        tell: (said) => typeof said === "object" ? { ...said, energy_used: 80_000 } : said
      })
      yield* execute(chains.alpha, key(2), quoted)
      const ended = yield* Effect.ensuring(whileMining(endedAnywhere(url, quoted)), tron.setFault(undefined))
      assert.deepInclude(ended, { status: "refund", failReason: "TRANSACTION_REVERTED" })
      const burnt = before - (yield* held)
      assert.isTrue(burnt > 9n * ONE && burnt <= BOUND, `${burnt}`)
      assert.strictEqual(yield* heldOnTron(TRX, recipient), 0n)
      // Less all that the order allows. A TRX is 30 cents here; the quote saw a third of one.
      const kept = BigInt(amount) - (yield* balanceOf(chains.alpha, refundTo))
      const shown = BigInt(amount) - BigInt(minimumAmount)
      assert.isTrue(kept <= shown && kept * 10n > shown * 5n, `${kept} of ${shown}`)
      const lost = yield* counter(url, "reverted_calls_usd_total", tronSlug)
      assert.isTrue(lost > 2 && lost < Number(burnt) * 0.3 / 1e6, `${lost} dollars`)
    }))

  it.effect("gets no refund above the bound: it waits for an operator, and the solver burns nothing", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, other, tron, tronSolver, url } = yield* Running
      const refundTo = yield* deployed(EVERYTHING)
      const held = heldOnTron(TRX, tronSolver.address)
      const before = yield* held
      const quoted = yield* quoteTron(
        url,
        fromTron(other, fresh(), [chains.alpha.chainId, zeroAddress], [TRX, 2_000n * ONE], {
          referrer: "force-refund",
          refundTo
        })
      )
      // Enough for what the contract would burn.
      const unrefundable = yield* closed(url, "unrefundable")
      yield* carriedOut(other, quoted)
      yield* eventually(
        "it is unrefundable",
        Effect.andThen(tron.mine(), closed(url, "unrefundable")),
        (count) => count === unrefundable + 1
      )
      yield* tron.mine(25)
      assert.deepStrictEqual([yield* held, yield* heldOnTron(TRX, refundTo)], [before, 0n])
    }))

  it.effect("gets a refund within the bound, of which the solver bears what the order does not let it keep", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, other, tron, tronSolver, url, whileMining } = yield* Running
      const refundTo = yield* deployed(USUAL)
      const held = heldOnTron(TRX, tronSolver.address)
      const before = yield* held
      const quoted = yield* quoteTron(
        url,
        fromTron(other, fresh(), [chains.alpha.chainId, zeroAddress], [TRX, 50n * ONE], {
          referrer: "force-refund",
          refundTo
        })
      )
      yield* carriedOut(other, quoted)
      yield* tron.mine()
      assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "refund" })
      const returned = yield* heldOnTron(TRX, refundTo)
      const burnt = before - (yield* held) - returned
      assert.isTrue(returned > 0n && returned < 50n * ONE, `${returned}`)
      assert.isTrue(burnt > 60_000n * BigInt(prices.energy) && burnt <= BOUND, `${burnt}`)
    }))
})
