import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { account, currency, slug, transaction, word } from "../../../property-tests/EvidenceChains.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { finalityOf } from "../evidence/Finality.ts"
import { isFinal } from "../evidence/SameEvidence.ts"
import type { Observation } from "../evidence/TransactionEvidence.ts"
import { agreeAmong, agreeSoFar, type Heard, standingWithoutMissing } from "./AgreeSoFar.ts"
import { type EndpointQuorum, makeEndpointQuorum } from "./EndpointQuorum.ts"
import { pinBlock } from "./PinnedBlock.ts"

const HEIGHT = 100n
const rule = { _tag: "Tag", tag: "finalized", seconds: 1 } as const

interface Endpoint {
  readonly lies: boolean
  /** The deposited amount according to this endpoint. 7 is the truth. Undefined: there is no such transaction. */
  readonly amount: bigint | undefined
  readonly finalHeight: bigint
  readonly fails: boolean
}

const heardOf = ({ amount, fails, finalHeight }: Endpoint, index: number): Heard => ({
  host: `node-${index}`,
  reading: fails ? undefined : {
    heads: { finalHeight, head: { height: finalHeight + 10n, time: 1_000 } },
    observedAt: (heads): Observation => {
      const at = { chain: slug("ethereum-vm"), transactionId: transaction("ethereum-vm", 1) }
      if (amount === undefined) return { _tag: "Absent", ...at }
      const block = { height: HEIGHT, hash: word(1), time: 900 }
      const native = currency("ethereum-vm", 0)
      const who = account("ethereum-vm", 1)
      return {
        _tag: "Transaction",
        ...at,
        outcome: "succeeded",
        block,
        finality: finalityOf(rule, block, heads),
        deposits: [{ depository: who, index: 0, depositId: word(2), depositor: who, currency: native, amount }],
        payments: [],
        orderIds: [],
        routerCalls: []
      }
    }
  }
})

const height = fc.constantFrom(50n, HEIGHT - 1n, HEIGHT, 150n)
const truthful: fc.Arbitrary<Endpoint> = fc.record({
  lies: fc.constant(false),
  amount: fc.constant(7n),
  finalHeight: height,
  fails: fc.boolean()
})
const liar: fc.Arbitrary<Endpoint> = fc.record({
  lies: fc.constant(true),
  amount: fc.constantFrom(7n, 8n, 8n, undefined),
  finalHeight: fc.oneof(height, fc.constant(1n << 60n)),
  fails: fc.boolean()
})

interface Play {
  readonly quorum: EndpointQuorum
  /** In the order in which they answer. */
  readonly endpoints: ReadonlyArray<Endpoint>
}

const quorumOf = (size: number, needed: number) =>
  Result.getOrThrow(makeEndpointQuorum(Array.from({ length: size }, (_, index) => `node-${index}`), needed))

/** A majority with as many liars as it tolerates. `good` makes the honest endpoints. */
const majority = (good: fc.Arbitrary<Endpoint>): fc.Arbitrary<Play> =>
  fc.integer({ min: 1, max: 7 }).chain((size) =>
    fc.integer({ min: Math.floor(size / 2) + 1, max: size }).chain((needed) =>
      fc.integer({ min: 0, max: size - needed }).chain((liars) =>
        fc.tuple(
          fc.array(liar, { minLength: liars, maxLength: liars }),
          fc.array(good, { minLength: size - liars, maxLength: size - liars })
        )
          .chain(([bad, others]) => fc.shuffledSubarray<Endpoint>([...bad, ...others], { minLength: size }))
          .map((endpoints) => ({ quorum: quorumOf(size, needed), endpoints }))
      )
    )
  )

const anyQuorum: fc.Arbitrary<Play> = fc.integer({ min: 1, max: 7 }).chain((size) =>
  fc.integer({ min: 1, max: size }).chain((needed) =>
    fc.array(fc.oneof(truthful, liar), { minLength: size, maxLength: size }).map((endpoints) => ({
      quorum: quorumOf(size, needed),
      endpoints
    }))
  )
)

/** The decision, and the number of answers before it. */
const decide = ({ endpoints, quorum }: Play) => {
  const heard = endpoints.map(heardOf)
  for (let count = 1; count <= heard.length; count += 1) {
    const decided = agreeSoFar(quorum, heard.slice(0, count), heard.length - count)
    if (decided !== undefined) return { decided, count }
  }
  throw new Error("nothing was decided with everybody heard")
}

const amountOf = (seen: Observation): bigint | undefined =>
  seen._tag === "Transaction" ? seen.deposits[0]?.amount : undefined

describe("an agreement before all endpoints have answered", () => {
  it("is never on something false, with as many liars as a majority tolerates", () => {
    fc.assert(
      fc.property(majority(truthful), (play) => {
        const { decided } = decide(play)
        if (Result.isSuccess(decided) && isFinal(decided.success.evidence)) {
          assert.strictEqual(amountOf(decided.success.evidence), 7n)
        }
      }),
      { numRuns: inputs(10_000, 400_000) }
    )
  })

  it("is on the fact, in any order of answers, when enough honest endpoints show it as final", () => {
    const standing = truthful.map((endpoint) => ({ ...endpoint, finalHeight: 150n, fails: false }))
    fc.assert(
      fc.property(majority(standing), (play) => {
        const { decided } = decide(play)
        assert.isTrue(
          Result.isSuccess(decided) && isFinal(decided.success.evidence) && amountOf(decided.success.evidence) === 7n
        )
      }),
      { numRuns: inputs(10_000, 400_000) }
    )
  })

  it("equals the agreement of all endpoints, or they would not have agreed", () => {
    fc.assert(
      fc.property(anyQuorum, (play) => {
        const { count, decided } = decide(play)
        const all = agreeAmong(play.quorum, play.endpoints.map(heardOf))
        if (count === play.endpoints.length || Result.isFailure(decided)) return assert.deepStrictEqual(decided, all)
        if (Result.isFailure(all)) return
        const [early, late] = [decided.success.evidence, all.success.evidence]
        if (isFinal(early)) assert.strictEqual(amountOf(early), amountOf(late))
        else assert.isFalse(isFinal(late))
      }),
      { numRuns: inputs(10_000, 400_000) }
    )
  })

  it("without silent endpoints is by a whole quorum, at no later block than with them, and never a fact that was not decided before", () => {
    const heads = (heard: ReadonlyArray<Heard>) =>
      heard.flatMap(({ host, reading }) => reading === undefined ? [] : [{ host, ...reading.heads }])
    /** How often a quorum stood, while nothing was decided. */
    const stood = (play: Play): number => {
      let times = 0
      const heard = play.endpoints.map(heardOf)
      for (let count = 1; count < heard.length; count += 1) {
        const some = heard.slice(0, count)
        if (agreeSoFar(play.quorum, some, heard.length - count) !== undefined) return times
        const standing = standingWithoutMissing(play.quorum, some)
        if (standing === undefined) continue
        times += 1
        assert.isAtLeast(standing.agreeing.length, play.quorum.needed)
        assert.isTrue(play.quorum.needed * 2 > play.quorum.hosts.length)
        assert.isFalse(isFinal(standing.evidence))
        const [early, late] = [pinBlock(play.quorum, heads(some)), pinBlock(play.quorum, heads(heard))]
        if (Result.isSuccess(early) && Result.isSuccess(late)) {
          assert.isTrue(early.success.finalHeight <= late.success.finalHeight)
        }
      }
      return times
    }
    // Two of three agree on what is not final at the block that both have reached: the third may still make it final.
    const behind = { lies: false, amount: 7n, finalHeight: HEIGHT - 1n, fails: false }
    assert.strictEqual(
      stood({ quorum: quorumOf(3, 2), endpoints: [{ ...behind, finalHeight: 150n }, behind, behind] }),
      1
    )
    fc.assert(fc.property(anyQuorum, (play) => void stood(play)), { numRuns: inputs(4_000, 200_000) })
  })

  it("does not wait when the fact is agreed on, or when waiting cannot produce one", () => {
    const at = (amount: bigint | undefined, finalHeight = 150n): Endpoint => ({
      lies: false,
      amount,
      finalHeight,
      fails: false
    })
    const failing: Endpoint = { ...at(7n), fails: true }
    const countOf = (needed: number, ...endpoints: ReadonlyArray<Endpoint>) =>
      decide({ quorum: quorumOf(endpoints.length, needed), endpoints }).count
    assert.strictEqual(countOf(2, at(7n), at(7n), failing), 2)
    assert.strictEqual(countOf(2, at(undefined), at(undefined), failing), 2)
    assert.strictEqual(countOf(3, at(undefined), at(7n, 50n), at(7n), at(7n), at(7n)), 5)
    assert.strictEqual(countOf(3, at(undefined), at(7n, 50n), at(7n, 50n), at(7n), at(7n)), 3)
    // Half of the endpoints may be outvoted, so all must answer.
    assert.strictEqual(countOf(2, at(7n), at(7n), at(7n), at(7n)), 4)
  })
})
