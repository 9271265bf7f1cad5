/**
 * What lying endpoints can make the solver do (QUORUM-5). The real code confirms deposits and tracks payments, through
 * the endpoint rotation that every family uses, over endpoints in memory of which some lie.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import type { Scope } from "effect"
import * as fc from "fast-check"
import { TestClock } from "effect/testing"
import { depositRead, makeRotation, paymentRead } from "../../../../adapters/endpoints/index.ts"
import type { EndpointFamily } from "../../../../adapters/endpoints/index.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import type { Standing } from "../../../../ports/chain/DepositWatcher.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { Exposures } from "../../../../ports/store/orders/Exposures.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { Pauses } from "../../../../ports/store/operations/Pauses.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../../ports/chain/Treasury.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { usdFromMicros } from "../../../../src/domain/money/Usd.ts"
import { depositOf, user } from "../../../../src/domain/permit/testing/PermitTransfers.ts"
import { alpha as chainAlpha, priced } from "../../../../src/domain/quote/testing/Chains.ts"
import { confirmDeposit } from "../../../../src/services/filling/ConfirmDeposit.ts"
import { waitUntilIncluded } from "../../../../src/services/payments/guard/WaitUntilIncluded.ts"
import { retryForever } from "../../../../src/services/polling/RetryForever.ts"
import { polledFollowers } from "../../../../src/services/following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../../../../src/services/operations/Policy.ts"

/** Every deposit needs one confirmation, independent of its value. */
const alpha: Chain = { ...chainAlpha, confirmations: [{ upToUsd: usdFromMicros(10n ** 12n), blocks: 1 }] }

/** The exposure cap, in micro-dollars. */
const CAP = 2_000_000_000n
/** So many dollars in smallest units: every currency is worth a dollar here. */
const dollars = (amount: bigint) => amount * 10n ** BigInt(alpha.native.decimals)
const deposit = { ...depositOf({ sender: user }), chainId: alpha.id, currency: alpha.native.address }

/** What an endpoint answers about the deposit and the payment. "silent" fails, like a node that is behind. */
interface Endpoint {
  readonly deposit: Standing | "silent"
  readonly payment: PaymentOutcome | "silent"
}

const read = <A>(said: A | "silent"): Promise<A> =>
  said === "silent" ? Promise.reject(new Error("behind")) : Promise.resolve(said)

/** Endpoints of several chains in order of preference, behind the rotation that families use. */
const watching = (
  all: ReadonlyArray<{ readonly chain: Chain; readonly endpoints: ReadonlyArray<Endpoint>; readonly needed: number }>
) =>
  Effect.gen(function*() {
    const family: EndpointFamily<Endpoint> = {
      open: (url) => {
        const [chain, index] = new URL(Redacted.value(url)).hostname.split(".")[0]?.split("-").map(Number) ?? []
        return Effect.succeed(all[chain ?? 0]?.endpoints[index ?? 0] ?? { deposit: "silent", payment: "silent" })
      },
      isOn: () => Promise.resolve(true),
      faultOf: () => "refused"
    }
    const rpc = yield* makeRotation(family, {
      urls: new Map(
        all.map(({ chain, endpoints }, at) => [
          chain.id,
          endpoints.map((_, index) => Redacted.make(`http://${at}-${index}.example`))
        ])
      ),
      quorums: new Map(all.map(({ chain, needed }) => [chain.id, needed]))
    })
    return Layer.merge(
      Layer.mock(DepositWatcher, {
        standing: (chain, _, by) => rpc.witnessed(chain, depositRead((endpoint) => read(endpoint.deposit)), by)
      }),
      Layer.mock(Treasury, {
        broadcast: () => Effect.succeed("accepted"),
        replacing: () => undefined,
        outcome: (chain, _, by) => rpc.witnessed(chain, paymentRead((endpoint) => read(endpoint.payment)), by)
      })
    )
  })

/** Records the exposure that is taken, up to the cap. */
const exposed = (taken: Array<bigint>) =>
  Layer.mock(Exposures, {
    take: ({ usdMicros }) =>
      Effect.sync(() => {
        const sum = taken.reduce((all, each) => all + each, usdMicros)
        if (sum > CAP) return false
        taken.push(usdMicros)
        return true
      })
  })

const ports = (taken: Array<bigint>) =>
  Layer.mergeAll(
    exposed(taken),
    Layer.mock(Pauses, { all: Effect.succeed([]), recent: Effect.succeed([]) }),
    Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, "1")) }),
    Layer.mock(Transfers, {}),
    polledFollowers,
    Layer.succeed(Policy, defaultPolicy)
  )

/** Advances virtual time until every due check was made. Undefined when nothing has been decided by then. */
const within = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function*() {
    for (let turns = 0; turns < 40; turns += 1) {
      // Reads of endpoints are real promises, which virtual time does not advance.
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return yield* Fiber.join(fiber)
      yield* TestClock.adjust(alpha.blockTimeMs)
    }
    yield* Fiber.interrupt(fiber)
    return undefined
  })

const confirmed = (chain: Chain, amount: bigint) =>
  Effect.flatMap(Effect.forkChild(confirmDeposit(chain, { ...deposit, chainId: chain.id, amount }, user)), within)

const included = (amount: bigint): Extract<Standing, { _tag: "Included" }> => ({
  _tag: "Included",
  block: deposit.block,
  confirmations: 99,
  final: true,
  deposits: [{ ...deposit, amount }]
})

/** A deposit as deep as its value requires, and not final. */
const shallow = (amount: bigint): Standing => ({ ...included(amount), final: false })

const transactionId = TransactionId.make(`0x${"3".repeat(64)}`)

const payment: StoredPayment = {
  leg: "fill",
  deposit: deposit.onchainId,
  orderId: OrderId.make(`0x${"5".repeat(64)}`),
  amount: 1n,
  state: "sent",
  transactionId,
  raw: "0x",
  chainId: alpha.id,
  account: user,
  sequence: 0n,
  currency: alpha.native.address,
  variants: [{ transactionId, raw: "0x", signedAt: 0 }]
}

const paid = (final: boolean, succeeded = true): PaymentOutcome => ({
  _tag: "Included",
  transactionId,
  block: deposit.block,
  succeeded,
  gasPaid: 1n,
  final
})

/** The payment's outcome, once nothing can undo it. */
const followed = Effect.gen(function*() {
  const due = {
    purpose: "fill" as const,
    deposit,
    payment: {
      _tag: "Fill" as const,
      chain: alpha,
      currency: alpha.native,
      recipient: user,
      amount: 1n,
      orderId: payment.orderId,
      calls: undefined,
      topup: 0n,
      authorizations: []
    },
    patience: Duration.days(1),
    notAfter: undefined,
    shown: undefined
  }
  const following = waitUntilIncluded<never>(due, { payment, isNew: false }, ({ final }) => final).pipe(
    retryForever("fill.guard")
  )
  return (yield* within(yield* Effect.forkChild(following)))?.outcome
}).pipe(Effect.provide(Layer.mock(Payments, { find: () => Effect.succeed(payment), recordSent: () => Effect.void })))

interface Play {
  readonly roles: ReadonlyArray<"honest" | "liar" | "silent">
  readonly needed: number
}

/** A majority must agree, and fewer endpoints than that tell the same lie. */
const plays: fc.Arbitrary<Play> = fc.integer({ min: 2, max: 5 }).chain((size) =>
  fc.integer({ min: Math.floor(size / 2) + 1, max: size }).chain((needed) =>
    fc.array(fc.constantFrom("honest", "honest", "liar", "silent"), { minLength: size, maxLength: size })
      .filter((roles) => roles.filter((role) => role === "liar").length < needed && roles[0] !== undefined)
      .map((roles) => ({ roles, needed }))
  )
)

const honest = ({ roles }: Play): number => roles.filter((role) => role === "honest").length

/** The honest endpoints answer `truth`, all liars answer `lie`. */
const endpointsOf = ({ roles }: Play, truth: Endpoint, lie: Endpoint): ReadonlyArray<Endpoint> =>
  roles.map((role) => role === "silent" ? { deposit: "silent", payment: "silent" } : role === "liar" ? lie : truth)

/** Runs the property in its own virtual time. */
const holds = <A>(
  arbitrary: fc.Arbitrary<A>,
  check: (input: A) => Effect.Effect<void, unknown, Scope.Scope>,
  runs: number
) =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(
        arbitrary,
        (input) =>
          Effect.runPromise(Effect.scoped(check(input)).pipe(Effect.provide([TestClock.layer(), Logger.layer([])])))
      ),
      { numRuns: runs }
    )
  )

describe("with fewer endpoints than the quorum telling the same lie", () => {
  it.live("an invented deposit is not filled, except small ones within the exposure cap", () =>
    holds(
      fc.record({
        play: plays,
        amounts: fc.array(fc.constantFrom(300n, 999n, 1_000n, 5_000n), { minLength: 1, maxLength: 3 })
      }),
      ({ amounts, play }) =>
        Effect.gen(function*() {
          const taken: Array<bigint> = []
          let lost = 0n
          for (const usd of amounts) {
            const lie: Endpoint = { deposit: shallow(dollars(usd)), payment: "silent" }
            const endpoints = endpointsOf(play, { deposit: { _tag: "Gone" }, payment: "silent" }, lie)
            const found = yield* confirmed(alpha, dollars(usd)).pipe(
              Effect.provide([yield* watching([{ chain: alpha, endpoints, needed: play.needed }]), ports(taken)])
            )
            if (found?._tag === "Confirmed") {
              assert.isBelow(Number(usd), 1_000)
              lost += usd * 1_000_000n
            }
            // With enough honest endpoints, it is always decided.
            if (found === undefined) assert.isBelow(honest(play), play.needed)
          }
          assert.isAtMost(Number(lost), Number(CAP))
        }),
      inputs(30, 2_000)
    ))

  it.live(
    "a real deposit is not given up, and is filled when enough endpoints are honest",
    () =>
      holds(plays, (play) =>
        Effect.gen(function*() {
          const amount = dollars(5_000n)
          const endpoints = endpointsOf(
            play,
            { deposit: included(amount), payment: "silent" },
            { deposit: { _tag: "Gone" }, payment: "silent" }
          )
          const found = yield* confirmed(alpha, amount).pipe(
            Effect.provide([yield* watching([{ chain: alpha, endpoints, needed: play.needed }]), ports([])])
          )
          assert.notStrictEqual(found?._tag, "Gone")
          if (honest(play) >= play.needed) assert.strictEqual(found?._tag, "Confirmed")
        }), inputs(60, 2_000))
  )

  it.live("a payment that may still be executed is never given up, and an executed one is found", () =>
    holds(
      fc.record({
        play: plays,
        case: fc.constantFrom(
          { truth: { _tag: "Pending" }, lie: { _tag: "Superseded" } },
          { truth: { _tag: "Unseen" }, lie: { _tag: "Expired" } },
          { truth: { _tag: "Pending" }, lie: paid(true) },
          { truth: { _tag: "Pending" }, lie: paid(true, false) },
          { truth: paid(true), lie: { _tag: "Unseen" } },
          { truth: paid(true), lie: { _tag: "Pending" } },
          { truth: paid(true), lie: paid(true, false) },
          { truth: paid(true), lie: { _tag: "Superseded" } }
        ) as fc.Arbitrary<{ readonly truth: PaymentOutcome; readonly lie: PaymentOutcome }>
      }),
      ({ case: { lie, truth }, play }) =>
        Effect.gen(function*() {
          const endpoints = endpointsOf(play, { deposit: "silent", payment: truth }, {
            deposit: "silent",
            payment: lie
          })
          const found = yield* followed.pipe(
            Effect.provide([yield* watching([{ chain: alpha, endpoints, needed: play.needed }]), ports([])])
          )
          const told: unknown = found
          if (told !== undefined) assert.deepStrictEqual(told, truth)
          if (truth._tag === "Included" && honest(play) >= play.needed) assert.deepStrictEqual(told, truth)
        }),
      inputs(80, 3_000)
    ))
})

describe("the first of three endpoints", () => {
  const first: Play = { roles: ["liar", "honest", "honest"], needed: 2 }
  it.live("cannot hide a payment, or that a deposit is final, for ever", () =>
    Effect.gen(function*() {
      for (const _tag of ["Unseen", "Pending"] as const) {
        const endpoints = endpointsOf(first, { deposit: "silent", payment: paid(true) }, {
          deposit: "silent",
          payment: { _tag }
        })
        const told: unknown = yield* followed.pipe(
          Effect.provide([yield* watching([{ chain: alpha, endpoints, needed: 2 }]), ports([])])
        )
        assert.deepStrictEqual(told, paid(true))
      }
      const deep = dollars(5_000n)
      const endpoints = endpointsOf(
        first,
        { deposit: included(deep), payment: "silent" },
        { deposit: { ...included(deep), confirmations: 0, final: false }, payment: "silent" }
      )
      const found = yield* confirmed(alpha, deep).pipe(
        Effect.provide([yield* watching([{ chain: alpha, endpoints, needed: 2 }]), ports([])])
      )
      assert.strictEqual(found?._tag, "Confirmed")
    }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])])))
})

describe("all endpoints but one telling different lies", () => {
  it.live("stop their chain and nothing else", () =>
    holds(fc.constantFrom(3, 4, 5), (size) =>
      Effect.gen(function*() {
        const beta: Chain = { ...alpha, id: ChainId.make(99) }
        const amount = dollars(5_000n)
        const different = Array.from({ length: size - 1 }, (_, index): Endpoint => ({
          deposit: included(amount + BigInt(index + 1)),
          payment: "silent"
        }))
        const truth: Endpoint = { deposit: included(amount), payment: "silent" }
        const needed = Math.floor(size / 2) + 1
        const adapters = yield* watching([
          { chain: alpha, endpoints: [...different, truth], needed },
          { chain: beta, endpoints: Array.from({ length: size }, () => truth), needed }
        ])
        const all = Layer.merge(adapters, ports([]))
        assert.strictEqual(yield* confirmed(alpha, amount).pipe(Effect.provide(all)), undefined)
        assert.strictEqual((yield* confirmed(beta, amount).pipe(Effect.provide(all)))?._tag, "Confirmed")
      }), 3))
})
