/** Which pages of a crowded ledger are read again (EXCHANGEA-35). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { account } from "../../../../property-tests/EvidenceChains.ts"
import type { ExchangeAClient } from "../../rpc/ExchangeAClient.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { readSent } from "./SentLedger.ts"

const [solver, stranger] = [account("exchangea-vm", 1), account("exchangea-vm", 2)]
const NOW = 1_790_000_000_000
const HOUR = 3_600_000

interface Shown {
  readonly time: number
  readonly from: string
  /** In place of what a send has. */
  readonly other?: object
}

const shown = ({ from, other = {}, time }: Shown) => ({
  time,
  hash: `0x${time.toString(16).padStart(64, "0")}`,
  delta: {
    type: "send",
    user: from,
    destination: from === solver ? stranger : solver,
    sourceDex: "",
    destinationDex: "",
    token: "USDC",
    amount: "1.0",
    nonce: time,
    ...other
  }
})

/** An endpoint whose ledger shows these, and the times of its pages as they are asked for. */
const endpointOf = (ledger: () => ReadonlyArray<Shown>) => {
  const asked: Array<number> = []
  const none = () => Effect.die(new Error("no page of this ledger is of one millisecond"))
  const client: ExchangeAClient = {
    info: (question) =>
      Effect.sync(() => {
        if (question.type !== "userNonFundingLedgerUpdates") return assert.fail(question.type)
        asked.push(question.startTime)
        return ledger().filter(({ time }) => time >= question.startTime && time <= question.endTime)
          .toSorted((one, other) => one.time - other.time).slice(0, 500).map(shown)
      }),
    transaction: none,
    account: none,
    block: none,
    submit: none
  }
  return { asked, client }
}

/** More than a page of dust, each in a millisecond of its own. */
const dustFrom = (time: number) => Array.from({ length: 600 }, (_, nth) => ({ time: time + 2 * nth, from: stranger }))

const noncesBy = (client: ExchangeAClient, from: number) =>
  Effect.map(
    readSent(client, solver, { from: BigInt(from), to: BigInt(NOW), now: BigInt(NOW) }, 1_000),
    (sent) => sent.map(({ nonce }) => Number(nonce))
  )

/** An account's ledger that shows nothing but so many pages of a stranger's dust, and what is asked of it. */
const crowdedOf = (pages: ReadonlyMap<string, number>) => {
  const asked: Array<string> = []
  const crowd = new Map([...pages].map(([of, many]) => [
    of,
    Array.from({ length: 499 * many }, (_, nth) => ({ time: NOW - HOUR / 2 + nth, from: stranger }))
  ]))
  const { client: none } = endpointOf(() => [])
  const client: ExchangeAClient = {
    ...none,
    info: (question) =>
      Effect.sync(() => {
        if (question.type !== "userNonFundingLedgerUpdates") return assert.fail(question.type)
        asked.push(question.user)
        return (crowd.get(question.user) ?? [])
          .filter(({ time }) => time >= question.startTime && time <= question.endTime).slice(0, 500).map(shown)
      })
  }
  /** How many pages a reading of an account takes in parts, and whether it comes to its end. */
  const readBy = (of: Address, late: number, after: number, pages?: number) =>
    Effect.map(
      Effect.result(readSent(client, of, {
        from: BigInt(NOW - HOUR + after),
        to: BigInt(NOW),
        now: BigInt(NOW + late),
        ...(pages === undefined ? {} : { pages })
      }, 1_000)),
      ({ _tag }) => [_tag, asked.splice(0).length] as const
    )
  return readBy
}

describe("a ledger of exchange A", () => {
  const start = NOW - HOUR / 2
  const own = { time: start, from: solver }
  const beside = (time: number, from: string, other: object): ReadonlyArray<Shown> => [own, { time, from, other }]

  it.effect("is read beside all that strangers can send to the account, in any form of its nonce", () =>
    Effect.gen(function*() {
      for (
        const [from, other] of [
          // As the exchange shows a spotSend of anybody.
          [stranger, { type: "spotTransfer", nonce: null, feeToken: "" }],
          [stranger, { type: "spotTransfer", nonce: 7 }],
          [stranger.toUpperCase().replace("0X", "0x"), { nonce: null }],
          [stranger, { type: "anything new", nonce: "7", amount: 1 }],
          // The account's own, which are no payments of this service.
          [solver, { type: "withdraw", usdc: "5.0", user: undefined }],
          [solver, { type: "spotTransfer" }]
        ] as const
      ) {
        const { client } = endpointOf(() => beside(start + 1, from, other))
        assert.deepStrictEqual(yield* noncesBy(client, start - 10), [start], JSON.stringify(other))
      }
    }))

  it.effect("is not read where an entry may be the account's own payment and cannot be decoded", () =>
    Effect.gen(function*() {
      for (const other of [{ nonce: null }, { type: "a new name" }, { user: undefined, type: "send", amount: 1 }]) {
        const { client } = endpointOf(() => beside(start + 1, solver, other))
        assert.strictEqual((yield* Effect.result(noncesBy(client, start - 10)))._tag, "Failure", JSON.stringify(other))
      }
    }))
})

describe("a crowded ledger of exchange A", () => {
  it.effect("is read again where it may still show an entry late", () =>
    Effect.gen(function*() {
      const start = NOW - HOUR / 2
      let ledger: ReadonlyArray<Shown> = dustFrom(start)
      const { client } = endpointOf(() => ledger)
      assert.deepStrictEqual(yield* noncesBy(client, start), [])
      ledger = [...ledger, { time: start + 1, from: solver }]
      assert.deepStrictEqual(yield* noncesBy(client, start), [start + 1])
    }))

  it.effect("is not read again for an hour where it can show nothing more, by no other endpoint's word", () =>
    Effect.gen(function*() {
      const start = NOW - 3 * HOUR
      const own = { time: start + 1, from: solver }
      const ledger = [...dustFrom(start), own]
      const { asked, client } = endpointOf(() => ledger)
      assert.deepStrictEqual(yield* noncesBy(client, start - 10), [own.time])
      assert.lengthOf(asked, 2)
      // Any part of it, by another range too.
      assert.deepStrictEqual(yield* noncesBy(client, start), [own.time])
      assert.deepStrictEqual(yield* noncesBy(client, start + 2), [])
      assert.deepStrictEqual(asked.slice(2), [asked[1], asked[1]])
      const other = endpointOf(() => ledger)
      assert.deepStrictEqual(yield* noncesBy(other.client, start), [own.time])
      assert.lengthOf(other.asked, 2)
      yield* TestClock.adjust("61 minutes")
      assert.deepStrictEqual(yield* noncesBy(client, start - 10), [own.time])
      assert.lengthOf(asked, 6)
    }))
})

describe("a long ledger of exchange A", () => {
  const PART = 12
  const addresses = [3, 4, 5].map((nth) => account("exchangea-vm", nth))
  const [one = stranger, two = stranger, three = stranger] = addresses

  it.effect("is read in parts, and holds up neither another account's nor a short reading of its own", () =>
    Effect.gen(function*() {
      const readBy = crowdedOf(new Map([[one, 20], [solver, 1]]))
      assert.deepStrictEqual(yield* readBy(one, 0, 0, PART), ["Failure", PART + 1])
      // Whole, by whoever reads it.
      assert.deepStrictEqual(yield* readBy(solver, 1, 0), ["Success", 1])
      assert.deepStrictEqual(yield* readBy(solver, 1, 0, PART), ["Success", 1])
      // It waits itself, at no cost, and others of the account that need more than two pages wait after these.
      assert.deepStrictEqual(yield* readBy(one, 119_999, 0, PART), ["Failure", 0])
      assert.deepStrictEqual(yield* readBy(one, 119_999, 1), ["Failure", 2])
      assert.deepStrictEqual(yield* readBy(one, 119_999, HOUR / 2 + 499 * 19), ["Success", 1])
      assert.deepStrictEqual(yield* readBy(one, 120_000, 0, PART), ["Failure", PART + 1])
    }))

  it.effect("rests longer when others rest as well, so that many of them cost no more than one", () =>
    Effect.gen(function*() {
      const readBy = crowdedOf(new Map(addresses.map((each) => [each, 20])))
      for (const each of [one, two, three]) {
        assert.deepStrictEqual(yield* readBy(each, 0, 0, PART), ["Failure", PART + 1])
      }
      let pages = 0
      const turns = new Map<string, number>()
      for (let late = 60_000; late < 3_600_000; late += 60_000) {
        for (const each of [one, two, three]) {
          const [, read] = yield* readBy(each, late, 0, PART)
          pages += read
          if (read > 0) turns.set(each, (turns.get(each) ?? 0) + 1)
        }
      }
      // A dozen pages each two minutes, of which each account has its part.
      assert.isAtMost(pages, 30 * (PART + 1))
      assert.isTrue([one, two, three].every((each) => (turns.get(each) ?? 0) >= 8), JSON.stringify([...turns]))
    }))
})
