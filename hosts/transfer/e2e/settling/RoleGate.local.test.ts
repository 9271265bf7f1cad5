/**
 * The worker settles on a hub with the role-based kind of gate: through a contract of several oracles, and after a
 * restart through one of them.
 */
import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Result } from "effect"
import { toHex } from "viem"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, sendDeposit } from "../../testing/Client.ts"
import { alarms, eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { startRoleGate } from "../../testing/RoleGateNetwork.ts"
import { ETH } from "../../testing/Tokens.ts"
import { quoteNative } from "../../testing/Fixture.ts"
import { settled, settlementsOf } from "../../testing/Settlements.ts"

const makeRunning = Effect.gen(function*() {
  const network = yield* startRoleGate
  return { ...network, deposited: { units: 0n, settlements: 0 } }
})

class Running extends fixtureOf<Running>()("test/RoleGate", makeRunning) {}

/** A deposit on alpha that is filled or refunded. Returns its order. */
const paid = Effect.fnUntraced(function*(url: string, index: number, changes: object = {}) {
  const running = yield* Running
  const { chains, deposited, key } = running
  const quoted = yield* quoteNative({ ...running, url }, index, ETH.some, changes)
  yield* sendDeposit(chains.alpha, key(index), quoted)
  const { status } = yield* ended(url, quoted)
  deposited.units += ETH.some
  deposited.settlements += 1
  return { order: orderIdOf(quoted), status }
})

const [alpha, beta] = [ChainSlug.make("alpha"), ChainSlug.make("beta")].map((
  slug
) => ({ slug, family: families["ethereum-vm"], network: "mainnet" } as const))

/** To the unit: all deposits are the solver's on the hub, and each execution was done once. */
const assertBooks = Effect.gen(function*() {
  const { chains, deposited, executions, held } = yield* Running
  const account = Result.getOrThrow(alias(beta ?? assert.fail("no chain"), chains.solver.toLowerCase()))
  const token = Result.getOrThrow(hubTokenId(alpha ?? assert.fail("no chain"), ETH.address))
  assert.strictEqual(yield* held(toHex(BigInt(account), { size: 20 }), token), deposited.units)
  const carriedOut = yield* executions
  assert.deepStrictEqual([new Set(carriedOut).size, carriedOut.length], [
    2 * deposited.settlements,
    2 * deposited.settlements
  ])
})

layer(Running.layer, { excludeTestServices: true })("a gate with one oracle role", (it) => {
  it.effect("accepts fills and refunds that two of three have signed, and nothing that one has", () =>
    Effect.gen(function*() {
      const { oracles, startSettling } = yield* Running
      // One oracle alone is not enough for the contract.
      const alone = yield* startSettling("several", oracles.slice(0, 1))
      const filled = yield* paid(alone.url, 0)
      assert.strictEqual(filled.status, "success")
      yield* eventually(
        "a signature is missing",
        settlementsOf(alone.url, filled.order),
        ([found]) => found?.state === "open" && found.reason === "signatures-missing"
      )
      yield* alone.stop

      const several = yield* startSettling("several", oracles)
      const refunded = yield* paid(several.url, 1, { refundOnOrigin: true, referrer: "force-refund" })
      assert.strictEqual(refunded.status, "refund")
      for (const { order } of [filled, refunded]) yield* settled(several.url, order)
      yield* assertBooks
      yield* several.stop
    }))

  it.effect("accepts what a single oracle with the role has signed, after a restart without the contract", () =>
    Effect.gen(function*() {
      const { oracles, startSettling } = yield* Running
      // The second oracle has no role of its own, so what it signs is not submitted.
      const single = yield* startSettling("single", oracles.slice(0, 2).toReversed())
      yield* settled(single.url, (yield* paid(single.url, 2)).order)
      assert.strictEqual(yield* alarms(single.url, "settlement-refused"), 0)
      yield* assertBooks
      yield* single.stop
    }))

  it.effect("must be configured for a contract of several signers: without that the start refuses its address", () =>
    Effect.gen(function*() {
      const { startMistaken } = yield* Running
      const end = yield* Effect.exit(startMistaken)
      assert.include(Exit.isFailure(end) ? Cause.pretty(end.cause) : "it started", "multisigAddress needs")
    }))
})
