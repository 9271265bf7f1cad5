/**
 * A payment counts as dead only when the exchange has not executed it and never will: against every order of
 * submissions, executions, rejections, drops, other payments, used nonces, passing time and reads, with endpoints that
 * are late, and one of three that lies.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import * as fc from "fast-check"
import { inputs, tally } from "../../../scripts/testing/Tally.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { laneOf } from "../../../src/domain/families/exchange-b/payment/Lane.ts"
import { EXPIRY_MARGIN_MS, LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { agreeOnReading } from "../../../src/domain/quorum/AgreeOnReading.ts"
import type { EndpointAnswer } from "../../../src/domain/quorum/AgreeOnEvidence.ts"
import { makeEndpointQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { outcomeRule } from "../../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { PaymentOutcome } from "../../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { readOutcome } from "./Landing.ts"
import { idOf } from "./SignTransfer.ts"
import type { SolverAccount } from "./SolverAccount.ts"

const [SOLVER, RECIPIENT, KEY, NONCE] = [1_002, 2_001, 4, 7]
const MINUTE = 60_000
const START = 1_790_000_000_000
const EXPIRES = START + LIFETIME_MS

/** How late an endpoint may show what the exchange has executed: less than the margin. */
const LATE = EXPIRY_MARGIN_MS - MINUTE

interface Entry {
  readonly hash: string
  readonly nonce: number
  readonly to: number
  readonly memo: number
  readonly expiredAt: number
  readonly status: 1 | 2 | 4 | 5
  readonly queuedAt: number
  /** When it got its status. */
  readonly at: number
}

const hashOf = (n: number): string => n.toString(16).padStart(80, "0")

const ours = { hash: hashOf(1), nonce: NONCE, to: RECIPIENT, memo: 0x0d, expiredAt: EXPIRES }
const nothing = (nonce: number, now: number) => ({
  hash: hashOf(1_000 + nonce),
  nonce,
  to: SOLVER,
  memo: 0,
  expiredAt: now + LIFETIME_MS
})

const infoOf = ({ expiredAt, memo, nonce, to }: Pick<Entry, "expiredAt" | "memo" | "nonce" | "to">): string =>
  JSON.stringify({
    FromAccountIndex: SOLVER,
    ApiKeyIndex: KEY,
    ToAccountIndex: to,
    AssetIndex: 3,
    FromRouteType: 0,
    ToRouteType: 0,
    Amount: 5,
    USDCFee: 1,
    Memo: Array.from({ length: 32 }, () => memo),
    ExpiredAt: expiredAt,
    Nonce: nonce,
    L1Sig: ""
  })

const payment = { raw: infoOf(ours), transactionId: idOf(ours.hash) }

const solver: SolverAccount["Service"] = {
  index: BigInt(SOLVER),
  address: asAddress(`${SOLVER}`),
  lanes: [{ apiKey: BigInt(KEY), address: laneOf(BigInt(SOLVER), BigInt(KEY)) }],
  signOnL1: () => Effect.die(new Error("nothing is signed")),
  signOnRollup: () => Effect.die(new Error("nothing is signed")),
  token: () => Effect.succeed(Redacted.make("token"))
}

/** The exchange's own state. Those in flight have status 1; `next` is the API key's next nonce. */
interface World {
  readonly now: number
  readonly next: number
  readonly sent: ReadonlyArray<Entry>
}

type Transfer = Omit<Entry, "at" | "queuedAt" | "status">

const take = (world: World, transfer: Transfer): World =>
  transfer.nonce === world.next && transfer.expiredAt > world.now
    ? {
      ...world,
      next: world.next + 1,
      sent: [...world.sent, { ...transfer, status: 1, queuedAt: world.now, at: world.now }]
    }
    : world

/** The oldest in flight is executed or rejected, unless it has expired: then it may also never have come. */
const sequence = (world: World, how: "execute" | "reject" | "fail"): World => {
  const at = world.sent.findIndex(({ status }) => status === 1)
  const waiting = world.sent[at]
  if (waiting === undefined) return world
  const isLate = waiting.expiredAt <= world.now
  if (isLate && how === "fail") {
    // It was never taken, and neither was any after it.
    return { ...world, next: waiting.nonce, sent: world.sent.slice(0, at) }
  }
  const status = how === "execute" && !isLate ? 2 : how === "fail" ? 4 : 5
  return { ...world, sent: world.sent.with(at, { ...waiting, status, at: world.now }) }
}

type Event =
  /** Our bytes come to the exchange, for the first time or again. */
  | { readonly _tag: "Submit" }
  /** A payment of ours with another nonce, or the nonce that is next. */
  | { readonly _tag: "Other"; readonly memo: number }
  /** The next nonce is used for nothing. */
  | { readonly _tag: "UseUp" }
  | { readonly _tag: "Sequence"; readonly how: "execute" | "reject" | "fail" }
  | { readonly _tag: "Pass"; readonly milliseconds: number }

const happen = (world: World, event: Event, nth: number): World => {
  switch (event._tag) {
    case "Submit":
      return take(world, ours)
    case "Other":
      return take(world, {
        hash: hashOf(2_000 + nth),
        nonce: world.next,
        to: RECIPIENT,
        memo: event.memo,
        // One with our memo is our payment, as an exchange that calls it otherwise would show it.
        expiredAt: event.memo === ours.memo && world.next === NONCE ? ours.expiredAt : world.now + LIFETIME_MS
      })
    case "UseUp":
      return take(world, { ...nothing(world.next, world.now), hash: hashOf(3_000 + nth) })
    case "Sequence":
      return sequence(world, event.how)
    case "Pass":
      return { ...world, now: world.now + event.milliseconds }
  }
}

const historyFrom = (next: number, events: ReadonlyArray<Event>): ReadonlyArray<World> =>
  events.reduce<ReadonlyArray<World>>(
    (worlds, event, nth) => [...worlds, happen(worlds.at(-1) ?? assert.fail("no world"), event, nth)],
    [{ now: START, next, sent: [] }]
  )

type Manner = "honest" | "hides" | "ahead" | "fails" | "used" | "another"

interface Endpoint {
  /** How many events it is behind its clock. Never as much as the margin. */
  readonly late: number
  readonly lies: ReadonlyArray<Manner>
}

/** The exchange as it was that many events ago, but never as it was longer ago than endpoints may be late. */
const lateWorld = (worlds: ReadonlyArray<World>, at: number, late: number): World => {
  const { now } = worlds[at] ?? assert.fail("no world")
  const older = worlds.slice(Math.max(0, at - late), at + 1)
  return older.find((world, nth) => world.now >= now - LATE && (older[nth + 1]?.now ?? now) >= now - LATE) ??
    (worlds[at] ?? assert.fail("no world"))
}

const shownAs = (entry: Entry) => ({
  code: 200,
  hash: entry.hash,
  type: 12,
  status: entry.status,
  info: infoOf(entry),
  block_height: 1,
  queued_at: entry.queuedAt
})

const clientOf = (
  { late, lies }: Endpoint,
  worlds: ReadonlyArray<World>,
  clock: { readonly next: () => number }
): ExchangeBClient => {
  let asked = 0
  const manner = (): Manner => lies.length === 0 ? "honest" : lies[asked++ % lies.length] ?? "honest"
  const none = () => Effect.die(new Error("a payment's fate does not ask for it"))
  const said = (answer: (how: Manner, now: World, shown: World) => unknown) =>
    Effect.sync(() => {
      const at = clock.next()
      return answer(manner(), worlds[at] ?? assert.fail("no world"), lateWorld(worlds, at, late))
    })
  const lied = (how: Manner, entry: Entry): Entry =>
    how === "fails" ? { ...entry, status: 5 } : how === "another" ? { ...entry, memo: 0x77, status: 2 } : entry
  return {
    root: () =>
      said((how, { now }) => ({ timestamp: Math.floor((how === "ahead" ? now + 60 * MINUTE : now) / 1_000) })),
    nextNonce: () => said((how, _, { next }) => ({ nonce: how === "used" ? NONCE + 50 : how === "hides" ? 0 : next })),
    transaction: (hash) =>
      said((how, _, { sent }) => {
        const found = sent.find((each) => each.hash === hash)
        return found === undefined || how === "hides"
          ? { code: 21_500, message: "transaction not found" }
          : shownAs(lied(how, found))
      }),
    transactions: () =>
      said((how, _, { sent }) => ({
        txs: how === "hides" ? [] : sent.toReversed().slice(0, 100).map((each) => shownAs(lied(how, each)))
      })),
    logs: none,
    assets: none,
    account: none,
    transferFee: none,
    transfers: none,
    submit: none
  }
}

const clockOf = (from: number, steps: ReadonlyArray<number>, last: number) => {
  let [at, nth] = [Math.min(from, last), 0]
  return {
    get now() {
      return at
    },
    next: () => {
      at = Math.min(last, at + (steps[nth++ % steps.length] ?? 0))
      return at
    }
  }
}

const hosts = ["one", "two", "three"] as const
const quorum = Result.getOrThrow(makeEndpointQuorum(hosts, 2))

/** What the quorum makes of one reading of each endpoint. Undefined when it agrees on nothing. */
const readBy = async (
  endpoints: ReadonlyArray<Endpoint>,
  worlds: ReadonlyArray<World>,
  clock: ReturnType<typeof clockOf>
): Promise<PaymentOutcome["_tag"] | undefined> => {
  const answers: Array<EndpointAnswer<PaymentOutcome>> = []
  for (const [at, endpoint] of endpoints.entries()) {
    const reading = readOutcome(solver, payment)(clientOf(endpoint, worlds, clock), 1_000)
    const read = await Effect.runPromise(Effect.result(reading))
    const host = hosts[at] ?? "one"
    answers.push(Result.isSuccess(read) ? { _tag: "Answer", host, evidence: read.success } : { _tag: "Failed", host })
  }
  const agreed = agreeOnReading(quorum, outcomeRule, answers, 0)
  return agreed === undefined || Result.isFailure(agreed) ? undefined : agreed.success.answer._tag
}

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ _tag: "Submit" as const }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Other" as const), memo: fc.constantFrom(0x0d, 0x0e) }) },
  { weight: 2, arbitrary: fc.constant({ _tag: "UseUp" as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Sequence" as const),
      how: fc.constantFrom("execute" as const, "execute" as const, "reject" as const, "fail" as const)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("Pass" as const),
      milliseconds: fc.constantFrom(1, MINUTE, LIFETIME_MS - 1, LIFETIME_MS, LIFETIME_MS + EXPIRY_MARGIN_MS + MINUTE)
    })
  }
)

const honest = fc.record({ late: fc.nat(6), lies: fc.constant<ReadonlyArray<Manner>>([]) })
const liar = fc.record({
  late: fc.nat(6),
  lies: fc.array(fc.constantFrom<Manner>("honest", "hides", "ahead", "fails", "used", "another"), {
    minLength: 1,
    maxLength: 8
  })
})

/** Under whatever name. */
const isPaid = ({ sent }: World): boolean =>
  sent.some(({ memo, nonce, status, to }) => nonce === NONCE && memo === ours.memo && to === RECIPIENT && status === 2)

/** The exchange may take its bytes now or later, or execute what it has taken. */
const mayBePaid = ({ next, now, sent }: World): boolean =>
  ours.expiredAt > now &&
  (next <= NONCE || sent.some(({ hash, status }) => hash === ours.hash && status === 1))

/** Its nonce is used for ever: what is executed is never undone. */
const hasExecutedAnother = ({ sent }: World): boolean =>
  sent.some(({ hash, nonce, status }) => hash !== ours.hash && nonce === NONCE && status === 2)

describe("a payment on exchange B that counts as dead", () => {
  it("was not executed, and the exchange will never execute it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(NONCE, NONCE, NONCE - 1, NONCE - 2),
        fc.array(event, { minLength: 3, maxLength: 16 }),
        fc.tuple(honest, honest, liar),
        fc.integer({ min: 1, max: 16 }),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
        async (next, events, endpoints, from, steps) => {
          const worlds = historyFrom(next, events)
          const clock = clockOf(from, steps, worlds.length - 1)
          const outcome = await readBy(endpoints, worlds, clock)
          tally(`fates ${outcome ?? "not agreed"}`, 1)
          if (outcome !== "Expired" && outcome !== "Superseded") return
          const now = worlds[clock.now] ?? assert.fail("no state")
          for (const world of [now, ...worlds.slice(clock.now + 1)]) {
            assert.isFalse(isPaid(world), "it was executed")
            assert.isFalse(mayBePaid(world) && !hasExecutedAnother(world), "it may still be executed")
          }
        }
      ),
      { numRuns: inputs(4_000, 200_000) }
    )
  })

  const honestOnes: ReadonlyArray<Endpoint> = [{ late: 0, lies: [] }, { late: 0, lies: [] }]
  const readAtEnd = (events: ReadonlyArray<Event>, lies: ReadonlyArray<Manner> = []) => {
    const worlds = historyFrom(NONCE, events)
    return readBy([...honestOnes, { late: 0, lies }], worlds, clockOf(worlds.length, [0], worlds.length - 1))
  }
  const lying: ReadonlyArray<ReadonlyArray<Manner>> = [
    [],
    ["hides"],
    ["ahead"],
    ["fails"],
    ["used"],
    ["another"],
    ["hides", "ahead"]
  ]
  const pass = (milliseconds: number): Event => ({ _tag: "Pass", milliseconds })
  const done: Event = { _tag: "Sequence", how: "execute" }
  const useUp: Event = { _tag: "UseUp" }
  const submit: Event = { _tag: "Submit" }

  const outcomes = async (events: ReadonlyArray<Event>) =>
    new Set(await Promise.all(lying.map((lies) => readAtEnd(events, lies))))

  it("is one when another transfer has its nonce, whatever one endpoint says", async () => {
    assert.deepStrictEqual(await outcomes([{ _tag: "Other", memo: 0x0e }, done]), new Set(["Superseded"]))
    assert.deepStrictEqual(await outcomes([useUp, done]), new Set(["Superseded"]))
  })

  it("is one a margin after it expired, once its nonce is used, and not before", async () => {
    const long = LIFETIME_MS + EXPIRY_MARGIN_MS
    assert.deepStrictEqual(await outcomes([pass(long + MINUTE)]), new Set(["Unseen"]))
    assert.deepStrictEqual(await outcomes([pass(long + MINUTE), useUp, done]), new Set(["Expired"]))
    const rejected: ReadonlyArray<Event> = [submit, { _tag: "Sequence", how: "reject" }]
    const waiting = await outcomes([...rejected, pass(long - MINUTE)])
    assert.isTrue([...waiting].every((each) => each === "Pending" || each === "Unseen"), [...waiting].join())
    assert.deepStrictEqual(await outcomes([...rejected, pass(long + MINUTE)]), new Set(["Expired"]))
  })

  it("is not one that was executed, however old it is and whatever one endpoint says", async () => {
    assert.deepStrictEqual(await outcomes([submit, done, pass(48 * 60 * MINUTE), useUp, done]), new Set(["Included"]))
  })

  it("is not one whose equal has the same nonce under another name", async () => {
    assert.deepStrictEqual(
      await outcomes([{ _tag: "Other", memo: 0x0d }, done, pass(60 * MINUTE)]),
      new Set(["Included"])
    )
  })
})
