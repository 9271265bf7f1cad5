/**
 * A payment counts as dead only when the exchange has not executed it and never will: against every order of
 * submissions, other payments, refused ones, passing time and reads, while strangers fill moments of the account's ledger,
 * with endpoints whose ledger is late, whose explorer is late without any bound, lists few transactions or is away, and
 * one of three that lies.
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

const [solver, recipient, another, stranger] = [
  account("exchangea-vm", 1),
  account("exchangea-vm", 2),
  account("exchangea-vm", 3),
  account("exchangea-vm", 4)
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

/** A transaction that the exchange has taken. One that failed is in no ledger, and the explorer shows it. */
interface Entry {
  readonly id: number
  readonly time: number
  readonly nonce: number
  readonly from: string
  readonly to: string
  readonly succeeded: boolean
}

/** The exchange's own state. `used`: the hundred highest nonces of the account, highest first. */
interface World {
  readonly now: number
  readonly used: ReadonlyArray<number>
  readonly all: ReadonlyArray<Entry>
}

/** The exchange's own rule for a nonce. */
const takes = ({ now, used }: World, nonce: number): boolean =>
  nonce < now + DAY && nonce > now - 2 * DAY && !used.includes(nonce) &&
  (used.length < 100 || nonce > (used.at(-1) ?? 0))

type Sent = Pick<Entry, "nonce" | "to">

const use = (world: World, sent: Sent, succeeds: boolean): World =>
  takes(world, sent.nonce)
    ? {
      now: world.now,
      used: [...world.used, sent.nonce].toSorted((one, other) => other - one).slice(0, 100),
      all: [...world.all, { ...sent, id: world.all.length + 1, time: world.now, from: solver, succeeded: succeeds }]
    }
    : world

type Event =
  /** Our bytes come to the exchange, for the first time or again. */
  | { readonly _tag: "Submit"; readonly succeeds: boolean }
  /** So many other payments of the account, the first with a nonce that far from ours. */
  | { readonly _tag: "Others"; readonly count: number; readonly from: number; readonly succeed: boolean }
  /** Another payment under our nonce, by somebody who has the key. */
  | { readonly _tag: "Steal" }
  /** So many transfers of a stranger to the account. */
  | { readonly _tag: "Dust"; readonly count: number }
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
    case "Dust": {
      const dust = Array.from({ length: event.count }, (_, nth): Entry => ({
        id: world.all.length + nth + 1,
        time: world.now,
        nonce: world.now + nth,
        from: stranger,
        to: solver,
        succeeded: true
      }))
      return { ...world, all: [...world.all, ...dust] }
    }
    case "Pass":
      return { ...world, now: world.now + event.milliseconds }
  }
}

const historyOf = (events: ReadonlyArray<Event>): ReadonlyArray<World> =>
  events.reduce<ReadonlyArray<World>>(
    (worlds, event) => [...worlds, happen(worlds.at(-1) ?? start, event)],
    [{ ...start, now: START - 1 }, start]
  )

const start: World = { now: START, used: [], all: [] }

type Manner = "honest" | "hides" | "ahead" | "invents"

interface Endpoint {
  /** How many events its ledger is behind its clock. Never an hour of the exchange's time. */
  readonly late: number
  /** The same of its explorer, without that bound. Undefined for one that is away. */
  readonly explorer: number | undefined
  /** How many transactions of an account its explorer lists. */
  readonly lists: number
  readonly lies: ReadonlyArray<Manner>
}

const hashOf = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`

const sentAs = ({ nonce, to }: Entry) => ({
  destination: to,
  sourceDex: "",
  destinationDex: "",
  amount: to === recipient ? "1.5" : "2.0",
  nonce
})

const shown = (entry: Entry) => ({
  time: entry.time,
  hash: hashOf(entry.id),
  delta: { type: "send", user: entry.from, token: "USDC", fee: "0.0", ...sentAs(entry) }
})

/** As the explorer shows it. `block`: the event in which it happened. */
const explored = (entry: Entry, block: number) => ({
  action: {
    type: "sendAsset",
    hyperliquidChain: "Mainnet",
    token: stored.transfer.token,
    fromSubAccount: "",
    ...sentAs(entry)
  },
  block,
  error: entry.succeeded ? null : "Insufficient balance for withdrawal",
  hash: hashOf(entry.id),
  time: entry.time,
  user: entry.from
})

/** The ledger as it was that many events ago, unless it is more than an hour old by now. */
const lateLedger = (worlds: ReadonlyArray<World>, at: number, late: number): ReadonlyArray<Entry> => {
  const { all, now } = worlds[at] ?? start
  const then = worlds[Math.max(0, at - late)] ?? start
  return all.filter(({ succeeded, time }, nth) => succeeded && (nth < then.all.length || time <= now - 60 * MINUTE))
}

/** Each event is a block: several are of one time. */
const blocksOf = (worlds: ReadonlyArray<World>) =>
  worlds.map(({ all, now }, height) => {
    const before = worlds[height - 1]?.all.length ?? 0
    return { blockTime: now, txs: all.slice(before).map((entry) => explored(entry, height)) }
  })

const unknown = { type: "error", message: "Not found" }

const clientOf = (
  { explorer, late, lies, lists }: Endpoint,
  worlds: ReadonlyArray<World>,
  clock: { readonly next: () => number }
): ExchangeAClient => {
  const made = blocksOf(worlds)
  let asked = 0
  const manner = () => lies.length === 0 ? "honest" : lies[asked++ % lies.length]
  const answer = (question: InfoQuestion): unknown => {
    const as = manner()
    const at = clock.next()
    const world = worlds[at] ?? start
    if (question.type === "exchangeStatus") return { time: as === "ahead" ? world.now + 9 * DAY : world.now }
    if (question.type !== "userNonFundingLedgerUpdates" || as === "hides") return []
    const { endTime, startTime, user } = question
    const invented = as === "invents"
      ? Array.from({ length: 120 }, (_, nth): Entry => ({
        id: 1_000_000 + nth,
        time: startTime,
        nonce: NONCE + 10 + nth,
        from: solver,
        to: another,
        succeeded: true
      }))
      : []
    return [...invented, ...lateLedger(worlds, at, late)]
      .filter(({ from, time, to }) => time >= startTime && time <= endTime && [from, to].some((each) => each === user))
      .toSorted((one, other) => one.time - other.time).slice(0, 500).map(shown)
  }
  /** What the explorer has come to. One that hides shows nothing of the account. */
  const explore = (of: (blocks: ReturnType<typeof blocksOf>) => unknown) =>
    explorer === undefined
      ? Effect.fail("unreachable" as const)
      : Effect.sync(() => {
        const hides = manner() === "hides"
        const blocks = made.slice(0, Math.max(0, clock.next() - explorer + 1)).map(({ blockTime, txs }) => ({
          blockTime,
          txs: hides ? txs.filter(({ user }) => user !== solver) : txs
        }))
        return of(blocks)
      })
  return {
    info: (question) => Effect.sync(() => answer(question)),
    transaction: (hash) =>
      explore((blocks) => {
        const tx = blocks.flatMap(({ txs }) => txs).find((each) => each.hash === hash)
        return tx === undefined ? unknown : { type: "txDetails", tx }
      }),
    block: (height) =>
      explore((blocks) => {
        const block = blocks[height]
        return block === undefined
          ? unknown
          : { type: "blockDetails", blockDetails: { ...block, height, numTxs: block.txs.length } }
      }),
    account: (user) =>
      explore((blocks) => {
        const own = blocks.flatMap(({ txs }) => txs).filter((each) => each.user === user)
        return { type: "userDetails", txs: own.toReversed().slice(0, lists) }
      }),
    submit: () => Effect.die(new Error("reading submits nothing"))
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
const readBy = async (clients: ReadonlyArray<ExchangeAClient>): Promise<PaymentOutcome["_tag"] | undefined> => {
  const answers: Array<EndpointAnswer<PaymentOutcome>> = []
  for (const [at, client] of clients.entries()) {
    const reading = readOutcome(solver, stored, signedAs)(client, 1_000)
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
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Dust" as const), count: fc.constantFrom(1, 499, 510) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Pass" as const),
      milliseconds: fc.constantFrom(1, MINUTE, 50 * MINUTE, DAY, 2 * DAY - 1, 2 * DAY, 2 * DAY + 61 * MINUTE)
    })
  }
)

const explorer = {
  explorer: fc.option(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(6)), { nil: undefined, freq: 5 }),
  lists: fc.constantFrom(0, 1, 100, 150, 10_000)
}
const honest = fc.record({ ...explorer, late: fc.nat(6), lies: fc.constant<ReadonlyArray<Manner>>([]) })
const liar = fc.record({
  ...explorer,
  late: fc.nat(6),
  lies: fc.array(fc.constantFrom<Manner>("honest", "hides", "ahead", "invents"), { minLength: 1, maxLength: 8 })
})

const isPaid = ({ all }: World): boolean =>
  all.some(({ from, nonce, succeeded, to }) => succeeded && from === solver && nonce === NONCE && to === recipient)

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
          const clients = endpoints.map((endpoint) => clientOf(endpoint, worlds, clock))
          // The second reading goes on where the first has ended.
          for (const outcome of [await readBy(clients), await readBy(clients)]) {
            tally(`fates ${outcome ?? "not agreed"}`, 1)
            const now = worlds[clock.now] ?? assert.fail("no state")
            if (outcome === "Included") assert.isTrue(isPaid(now), "it was not executed")
            if (outcome !== "Expired" && outcome !== "Superseded") continue
            for (const world of [now, ...worlds.slice(clock.now + 1)]) {
              assert.isFalse(isPaid(world), "it was executed")
              assert.isFalse(takes(world, NONCE), "it may still be executed")
            }
          }
        }
      ),
      { numRuns: inputs(3_000, 200_000) }
    )
  })

  const good: Endpoint = { late: 0, explorer: 0, lists: 100, lies: [] }
  /** What the quorum says at the end, with two endpoints like the given one. */
  const readAtEnd = (
    events: ReadonlyArray<Event>,
    lies: ReadonlyArray<Manner> = [],
    others: Partial<Endpoint> = {}
  ) => {
    const worlds = historyOf(events)
    const clock = clockOf(worlds.length, [0], worlds.length - 1)
    const endpoints = [{ ...good, ...others }, { ...good, ...others }, { ...good, ...others, lies }]
    return readBy(endpoints.map((endpoint) => clientOf(endpoint, worlds, clock)))
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

  const [moment, later]: ReadonlyArray<Event> = [
    { _tag: "Pass", milliseconds: 1 },
    { _tag: "Pass", milliseconds: 9 * DAY }
  ]
  const submitted: Event = { _tag: "Submit", succeeds: true }
  const dust: Event = { _tag: "Dust", count: 501 }
  assert(moment !== undefined && later !== undefined)

  it("is not one that was executed in a moment that strangers have filled, whoever looks at it", async () => {
    for (const lies of lying) {
      for (const lists of [0, 100]) {
        for (const since of [[], [moment, others(100), moment, dust]]) {
          const events = [dust, submitted, ...since, later]
          assert.strictEqual(await readAtEnd(events, lies, { lists }), "Included", `${lies.join()} ${lists}`)
        }
      }
    }
  })

  it("is one that was not executed, although strangers have filled the moment of its signature and others", async () => {
    for (const lies of lying) {
      const filled = (count: number) => [dust, moment, others(count), dust, moment]
      assert.strictEqual(await readAtEnd(filled(100), lies), "Expired", lies.join())
      assert.strictEqual(await readAtEnd([...filled(99), later], lies), "Expired", lies.join())
      assert.strictEqual(await readAtEnd(filled(99), lies), "Unseen", lies.join())
    }
  })

  it("is none while the explorer is away, or has not come to the block after a moment that is full", async () => {
    for (const since of [[], [submitted]]) {
      const events = [dust, ...since, others(100), moment]
      assert.isUndefined(await readAtEnd(events, [], { explorer: undefined }))
      for (const explorer of [1, 2, 3]) {
        const outcome = await readAtEnd(events, [], { explorer })
        assert.notStrictEqual(outcome, "Expired")
      }
    }
  })

  it("is one whose nonce another payment has", async () => {
    assert.strictEqual(await readAtEnd([{ _tag: "Steal" }]), "Superseded")
  })
})
