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
import { burner } from "../../../localnet/nodes/tron/testing/OddContracts.ts"
import { execute, quote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { balanceOf, closed, eventually } from "../../testing/Misbehaving.ts"
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

const deployed = Effect.fnUntraced(function*(slots: number) {
  const { tron } = yield* Running
  const somebody = yield* tron.wallet("somebody")
  const { arguments: encoded, code, name } = burner(slots)
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

  it.effect("is paid within the bound, to the unit", () =>
    Effect.gen(function*() {
      const { chains, heldOnTron, key, tronSolver, url, user, whileMining } = yield* Running
      const recipient = yield* deployed(USUAL)
      const held = heldOnTron(TRX, tronSolver.address)
      const before = yield* held
      const quoted = yield* quote(url, toTron(user(1), recipient, chains.alpha.chainId, TRX))
      yield* execute(chains.alpha, key(1), quoted)
      assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "success" })
      const amount = BigInt(quoted.details.currencyOut.amount)
      assert.strictEqual(yield* heldOnTron(TRX, recipient), amount)
      const burnt = before - (yield* held) - amount
      assert.isTrue(burnt > 60_000n * BigInt(prices.energy) && burnt <= BOUND, `${burnt}`)
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
