/**
 * A payment counts as dead only when the exchange has not executed it and never will: against every order of
 * submissions, other payments, refused ones, passing time and reads, with endpoints whose ledger is late, and one of
 * three that lies.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { account } from "../../../property-tests/EvidenceChains.ts"
import { inputs, tally } from "../../../scripts/testing/Tally.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { StoredPayment } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { families } from "../../../src/domain/families/index.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { agreeOnReading } from "../../../src/domain/quorum/AgreeOnReading.ts"
import type { EndpointAnswer } from "../../../src/domain/quorum/AgreeOnEvidence.ts"
import { makeEndpointQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { outcomeRule } from "../../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { PaymentOutcome } from "../../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { ExchangeAClient, InfoQuestion } from "../rpc/ExchangeAClient.ts"
import { readOutcome } from "./Landing.ts"

const [solver, recipient, another] = [
  account("exchangea-vm", 1),
  account("exchangea-vm", 2),
  account("exchangea-vm", 3)
]
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const START = 1_790_000_000_000
/** Its nonce is a little ahead of the clock, as one of many that were signed in the same moment. */
const NONCE = START + 2_000

const stored: StoredPayment = {
  transfer: {
    _tag: "SendAsset",
    hyperliquidChain: "Mainnet",
    destination: recipient,
    sourceDex: "",
    destinationDex: "",
    token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054",
    amount: "1.5",
    fromSubAccount: "",
    nonce: BigInt(NONCE)
  },
  order: Hex32.make(`0x${"0d".repeat(32)}`)
}
const signedAs = Result.getOrThrow(parseTransactionId(families["exchangea-vm"], "ab".repeat(32)))

interface Entry {
  readonly time: number
  readonly nonce: number
  readonly to: string
}

/** The exchange's own state. `used`: the hundred highest nonces, highest first. */
interface World {
  readonly now: number
  readonly used: ReadonlyArray<number>
  readonly ledger: ReadonlyArray<Entry>
}

/** The exchange's own rule for a nonce. */
const takes = ({ now, used }: World, nonce: number): boolean =>
  nonce < now + DAY && nonce > now - 2 * DAY && !used.includes(nonce) &&
  (used.length < 100 || nonce > (used.at(-1) ?? 0))

const use = (world: World, entry: Omit<Entry, "time">, succeeds: boolean): World =>
  takes(world, entry.nonce)
    ? {
      now: world.now,
      used: [...world.used, entry.nonce].toSorted((one, other) => other - one).slice(0, 100),
      ledger: succeeds ? [...world.ledger, { ...entry, time: world.now }] : world.ledger
    }
    : world

type Event =
  /** Our bytes come to the exchange, for the first time or again. */
  | { readonly _tag: "Submit"; readonly succeeds: boolean }
  /** So many other payments of the account, the first with a nonce that far from ours. */
  | { readonly _tag: "Others"; readonly count: number; readonly from: number; readonly succeed: boolean }
  /** Another payment under our nonce, by somebody who has the key. */
  | { readonly _tag: "Steal" }
  | { readonly _tag: "Pass"; readonly milliseconds: number }

const happen = (world: World, event: Event): World => {
  switch (event._tag) {
    case "Submit":
      return use(world, { nonce: NONCE, to: recipient }, event.succeeds)
    case "Steal":
      return use(world, { nonce: NONCE, to: another }, true)
    case "Others":
      return Array.from({ length: event.count }).reduce<World>(
        (now, _, nth) => use(now, { nonce: NONCE + event.from + nth, to: another }, event.succeed),
        world
      )
    case "Pass":
      return { ...world, now: world.now + event.milliseconds }
  }
}

const historyOf = (events: ReadonlyArray<Event>): ReadonlyArray<World> =>
  events.reduce<ReadonlyArray<World>>(
    (worlds, event) => [...worlds, happen(worlds.at(-1) ?? start, event)],
    [start]
  )

const start: World = { now: START, used: [], ledger: [] }

type Manner = "honest" | "hides" | "ahead" | "invents"

interface Endpoint {
  /** How many events its ledger is behind its clock. Never an hour of the exchange's time. */
  readonly late: number
  readonly lies: ReadonlyArray<Manner>
}

const shown = ({ nonce, time, to }: Entry) => ({
  time,
  hash: `0x${nonce.toString(16).padStart(64, "0")}`,
  delta: {
    type: "send",
    user: solver,
    destination: to,
    sourceDex: "",
    destinationDex: "",
    token: "USDC",
    amount: to === recipient ? "1.5" : "2.0",
    nonce,
    fee: "0.0"
  }
})

/** The ledger as it was that many events ago, unless it is more than an hour old by now. */
const lateLedger = (worlds: ReadonlyArray<World>, at: number, late: number): ReadonlyArray<Entry> => {
  const { ledger, now } = worlds[at] ?? start
  const then = worlds[Math.max(0, at - late)] ?? start
  return ledger.filter((entry, nth) => nth < then.ledger.length || entry.time <= now - 60 * MINUTE)
}

const clientOf = (
  { late, lies }: Endpoint,
  worlds: ReadonlyArray<World>,
  clock: { readonly next: () => number }
): ExchangeAClient => {
  let asked = 0
  const answer = (question: InfoQuestion): unknown => {
    const manner = lies.length === 0 ? "honest" : lies[asked++ % lies.length]
    const at = clock.next()
    const world = worlds[at] ?? start
    if (question.type === "exchangeStatus") return { time: manner === "ahead" ? world.now + 9 * DAY : world.now }
    if (question.type !== "userNonFundingLedgerUpdates" || manner === "hides") return []
    const { endTime, startTime } = question
    const invented = manner === "invents"
      ? Array.from({ length: 120 }, (_, nth) => ({ time: startTime, nonce: NONCE + 10 + nth, to: another }))
      : []
    return [...invented, ...lateLedger(worlds, at, late)].filter(({ time }) => time >= startTime && time <= endTime)
      .toSorted((one, other) => one.time - other.time).slice(0, 500).map(shown)
  }
  const none = Effect.die(new Error("a payment's fate is in the ledger"))
  return {
    info: (question) => Effect.sync(() => answer(question)),
    transaction: () => none,
    account: () => none,
    submit: () => none
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
    const reading = readOutcome(solver, stored, signedAs)(clientOf(endpoint, worlds, clock), 1_000)
    const read = await Effect.runPromise(Effect.result(reading))
    const host = hosts[at] ?? "one"
    answers.push(Result.isSuccess(read) ? { _tag: "Answer", host, evidence: read.success } : { _tag: "Failed", host })
  }
  const agreed = agreeOnReading(quorum, outcomeRule, answers, 0)
  return agreed === undefined || Result.isFailure(agreed) ? undefined : agreed.success.answer._tag
}

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Submit" as const), succeeds: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Others" as const),
      count: fc.constantFrom(1, 30, 99, 100, 400),
      from: fc.constantFrom(-500, -100, -1, 1, 5),
      succeed: fc.boolean()
    })
  },
  { weight: 1, arbitrary: fc.constant({ _tag: "Steal" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Pass" as const),
      milliseconds: fc.constantFrom(1, MINUTE, 50 * MINUTE, DAY, 2 * DAY - 1, 2 * DAY, 2 * DAY + 61 * MINUTE)
    })
  }
)

const honest = fc.record({ late: fc.nat(6), lies: fc.constant<ReadonlyArray<Manner>>([]) })
const liar = fc.record({
  late: fc.nat(6),
  lies: fc.array(fc.constantFrom<Manner>("honest", "hides", "ahead", "invents"), { minLength: 1, maxLength: 8 })
})

const isPaid = ({ ledger }: World): boolean => ledger.some(({ nonce, to }) => nonce === NONCE && to === recipient)

describe("a payment on exchange A that counts as dead", () => {
  it("was not executed, and the exchange will never execute it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 3, maxLength: 16 }),
        fc.tuple(honest, honest, liar),
        fc.integer({ min: 1, max: 16 }),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
        async (events, endpoints, from, steps) => {
          const worlds = historyOf(events)
          const clock = clockOf(from, steps, worlds.length - 1)
          const outcome = await readBy(endpoints, worlds, clock)
          tally(`fates ${outcome ?? "not agreed"}`, 1)
          if (outcome !== "Expired" && outcome !== "Superseded") return
          const now = worlds[clock.now] ?? assert.fail("no state")
          for (const world of [now, ...worlds.slice(clock.now + 1)]) {
            assert.isFalse(isPaid(world), "it was executed")
            assert.isFalse(takes(world, NONCE), "it may still be executed")
          }
        }
      ),
      { numRuns: inputs(3_000, 200_000) }
    )
  })

  const honestOnes: ReadonlyArray<Endpoint> = [{ late: 0, lies: [] }, { late: 0, lies: [] }]
  const readAtEnd = (events: ReadonlyArray<Event>, lies: ReadonlyArray<Manner> = []) => {
    const worlds = historyOf(events)
    return readBy([...honestOnes, { late: 0, lies }], worlds, clockOf(worlds.length, [0], worlds.length - 1))
  }
  const lying: ReadonlyArray<ReadonlyArray<Manner>> = [[], ["hides"], ["ahead"], ["invents"]]
  const others = (count: number): Event => ({ _tag: "Others", count, from: 1, succeed: true })

  it("is one when a hundred higher nonces were used, whatever one endpoint says, and not at ninety-nine", async () => {
    for (const lies of lying) {
      assert.strictEqual(await readAtEnd([others(100)], lies), "Expired", lies.join())
      assert.strictEqual(await readAtEnd([others(99)], lies), "Unseen", lies.join())
    }
  })

  it("is one an hour after it is two days old, whatever one endpoint says, and not before", async () => {
    const pass = (milliseconds: number): Event => ({ _tag: "Pass", milliseconds })
    for (const lies of lying) {
      assert.strictEqual(await readAtEnd([pass(2 * DAY + 61 * MINUTE)], lies), "Expired", lies.join())
      assert.strictEqual(await readAtEnd([pass(2 * DAY + 59 * MINUTE)], lies), "Unseen", lies.join())
    }
  })

  it("is not one that was executed, however old it is and whatever was paid since", async () => {
    for (const lies of lying) {
      const events: ReadonlyArray<Event> = [
        { _tag: "Submit", succeeds: true },
        others(400),
        { _tag: "Pass", milliseconds: 9 * DAY }
      ]
      assert.strictEqual(await readAtEnd(events, lies), "Included", lies.join())
    }
  })

  it("is not one that was executed after more than a page of others, each at a time of its own", async () => {
    const older = (from: number): ReadonlyArray<Event> => [
      { _tag: "Others", count: 400, from, succeed: true },
      { _tag: "Pass", milliseconds: 1 }
    ]
    const events: ReadonlyArray<Event> = [
      ...older(-900),
      ...older(-450),
      { _tag: "Submit", succeeds: true },
      { _tag: "Pass", milliseconds: 9 * DAY }
    ]
    assert.strictEqual(await readAtEnd(events), "Included")
  })

  it("is none while a page of one time alone hides what follows", async () => {
    const events: ReadonlyArray<Event> = [
      { _tag: "Others", count: 600, from: -900, succeed: true },
      { _tag: "Submit", succeeds: true },
      { _tag: "Pass", milliseconds: 9 * DAY }
    ]
    assert.isUndefined(await readAtEnd(events))
  })

  it("is one whose nonce another payment has", async () => {
    assert.strictEqual(await readAtEnd([{ _tag: "Steal" }]), "Superseded")
  })
})
