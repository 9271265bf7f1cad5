/** What is kept of a posted permit, and what is refused because of what submissions may cost. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { Chains } from "../../../ports/chain/Chains.ts"
import { ContractWallets } from "../../../ports/chain/ContractWallets.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { NewPermitSubmission, Queued } from "../../../ports/store/orders/PermitSubmissions.ts"
import { PermitTokens } from "../../../ports/chain/PermitTokens.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { accountOfKey, InvalidSignature, isSignedBy, signDigest } from "../../domain/encoding/Signature.ts"
import { Hex } from "../../domain/encoding/Hex.ts"
import { AMOUNT, transferOf, user } from "../../domain/permit/testing/PermitTransfers.ts"
import { chains, evmAddress, priced } from "../../domain/quote/testing/Chains.ts"
import { now } from "../../domain/quote/testing/SignedQuotes.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { standingBy } from "../payments/testing/Standing.ts"
import { acceptPermit } from "./AcceptingPermits.ts"

/** By the account's own key, with v counted from zero. */
const OWN = Hex.make(`0x${"01".repeat(64)}00`)

interface World {
  readonly transfer: Transfer
  /** What the store says. */
  readonly answers: Queued
  readonly reverted: number
  readonly funded: boolean
  /** Who signed, by the key; the contract says yes to everything. */
  readonly recovered: typeof user | undefined
  readonly queued: Array<readonly [NewPermitSubmission, bigint]>
}

const makeWorld = (changes: Partial<World> = {}): World => ({
  transfer: transferOf(),
  answers: "queued",
  reverted: 0,
  funded: true,
  recovered: user,
  queued: [],
  ...changes
})

const CAP = 5_000_000n

const ports = (world: World) =>
  Layer.mergeAll(
    Layer.mock(CheckedConfiguration, { assertServing: () => Effect.void }),
    Layer.mock(Transfers, { find: () => Effect.succeed(world.transfer) }),
    Layer.mock(PermitSubmissions, {
      newest: () => Effect.undefined,
      reverted: () => Effect.succeed(world.reverted),
      queue: (submission, cap) =>
        Effect.sync(() => {
          world.queued.push([submission, cap])
          return world.answers
        })
    }),
    Layer.succeed(Signatures, {
      accountOfKey,
      isSignedBy,
      signDigest,
      engine: "noble",
      recoverDigest: () =>
        world.recovered === undefined
          ? Result.fail(new InvalidSignature({ reason: "a contract's" }))
          : Result.succeed(world.recovered)
    }),
    Layer.mock(ContractWallets, { hasSigned: () => Effect.succeed(true) }),
    Layer.mock(PermitTokens, {
      standing: () => Effect.succeed({ used: false, balance: AMOUNT, allowance: AMOUNT, time: now })
    }),
    Layer.mock(Payments, { find: () => Effect.undefined, standing: standingBy(() => Effect.undefined) }),
    Layer.mock(TransferHistory, { deposits: () => Effect.succeed([]) }),
    Layer.mock(Pauses, { all: Effect.succeed([]), recent: Effect.succeed([]) }),
    Layer.mock(Gas, {
      ofPayment: () =>
        world.funded ? Effect.succeed(10n ** 15n) : Effect.fail(new PaymentRefused({ reason: "insufficient-funds" })),
      ofPermit: () => Effect.succeed(2n * 10n ** 15n)
    }),
    Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, currency.isNative ? "2000" : "1")) }),
    Layer.succeed(Chains, { all: chains }),
    Layer.succeed(Policy, { ...defaultPolicy, revertedPermits: CAP })
  )

const post = (world: World, signature = OWN) =>
  Effect.andThen(
    TestClock.setTime((now + 1) * 1000),
    Effect.result(acceptPermit({ kind: "permit2", requestId: world.transfer.id, signature })).pipe(
      Effect.provide(ports(world))
    )
  )

const refusalOf = (world: World) =>
  Effect.map(
    post(world),
    (answer) => Result.isFailure(answer) ? `${answer.failure._tag}: ${answer.failure.message}` : answer.success
  )

describe("a permit that is posted", () => {
  it.effect("is kept for its owner, with its possible cost under the chain's cap", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      assert.deepStrictEqual(yield* post(world), Result.succeed("accepted" as const))
      const [[kept, cap] = []] = world.queued
      // A thousandth of 2,000 dollars.
      assert.deepInclude(kept, { owner: user, number: 0, reservedMicros: 2_000_000n, queuedAt: (now + 1) * 1000 })
      assert.strictEqual(cap, CAP)
      // Without money for gas nothing can be tried; it is kept by what permits usually cost.
      const poor = makeWorld({ funded: false })
      assert.strictEqual(yield* refusalOf(poor), "accepted")
      assert.strictEqual(poor.queued[0]?.[0].reservedMicros, 4_000_000n)
    }))

  it.effect("is refused while another of its owner is in flight, and when their cost has reached the cap", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* refusalOf(makeWorld({ answers: "busy" })),
        "PermitRefused: another permit of this account is being submitted; try again when it is done"
      )
      assert.include(
        yield* refusalOf(makeWorld({ answers: "capped" })),
        "PermitRefused: permits of this chain are not submitted for now"
      )
      assert.strictEqual(yield* refusalOf(makeWorld({ answers: "again" })), "again")
    }))

  it.effect("is refused after five that reverted, however many others failed", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusalOf(makeWorld({ reverted: 4 })), "accepted")
      assert.include(yield* refusalOf(makeWorld({ reverted: 5 })), "has reverted 5 times")
    }))

  it.effect("is kept as the chain accepts it: an account's with the v that tokens expect, a contract's byte for byte", () =>
    Effect.gen(function*() {
      const signatureKept = (recovered: World["recovered"], signature: typeof OWN) =>
        Effect.gen(function*() {
          const world = makeWorld({ recovered })
          yield* post(world, signature)
          return world.queued[0]?.[0].signature
        })
      assert.strictEqual(yield* signatureKept(user, OWN), `${OWN.slice(0, -2)}1b`)
      for (const recovered of [undefined, evmAddress("99")]) {
        assert.strictEqual(yield* signatureKept(recovered, OWN), OWN)
      }
      const long = Hex.make(`0x${"01".repeat(97)}`)
      assert.strictEqual(yield* signatureKept(undefined, long), long)
    }))
})
