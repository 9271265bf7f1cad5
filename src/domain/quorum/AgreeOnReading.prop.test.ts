import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { account, currency, slug, transaction, word } from "../../../property-tests/EvidenceChains.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { ChainId } from "../chain/ChainId.ts"
import { finalityRule } from "../chain/FinalityNow.ts"
import type { FinalityNow } from "../chain/FinalityNow.ts"
import { onchainId } from "../hub/ProtocolId.ts"
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import { standingRule } from "../transfer/deposit/Standing.ts"
import type { Standing } from "../transfer/deposit/Standing.ts"
import { outcomeRule } from "../transfer/payment/PaymentOutcome.ts"
import type { PaymentOutcome } from "../transfer/payment/PaymentOutcome.ts"
import type { EndpointAnswer } from "./AgreeOnEvidence.ts"
import { agreeOnReading, reachedBy } from "./AgreeOnReading.ts"
import type { ReadingRule } from "./AgreeOnReading.ts"
import { judgeContradiction } from "./Contradictions.ts"
import type { Contradicting } from "./Contradictions.ts"
import { makeEndpointQuorum } from "./EndpointQuorum.ts"

const block = { height: 10n, hash: word(1), time: 100 }
const elsewhere = { height: 10n, hash: word(2), time: 100 }
const id = transaction("ethereum-vm", 1)

const deposit: Deposit = {
  onchainId: onchainId(slug("ethereum-vm"), id, 0),
  chainId: ChainId.make(1),
  transactionId: id,
  index: 0,
  block,
  depositId: word(3),
  depositor: account("ethereum-vm", 1),
  sender: account("ethereum-vm", 1),
  currency: currency("ethereum-vm", 0),
  amount: 7n
}

const included = (changes: Partial<Extract<Standing, { _tag: "Included" }>> = {}): Standing => ({
  _tag: "Included",
  block,
  confirmations: 3,
  final: false,
  deposits: [deposit],
  ...changes
})

/** What honest endpoints answer about one deposit, each as far as it has synced, and what liars may answer. */
const standings = {
  name: "a deposit",
  rule: standingRule,
  truths: fc.record({ confirmations: fc.integer({ min: 1, max: 9 }), final: fc.boolean() }).map(included),
  lies: fc.constantFrom<Standing>(
    { _tag: "Gone" },
    included({ deposits: [{ ...deposit, amount: 700n }], final: true }),
    included({ deposits: [{ ...deposit, sender: account("ethereum-vm", 2) }], final: true }),
    included({ deposits: [deposit, { ...deposit, index: 1 }], final: true }),
    included({ block: elsewhere, final: true })
  )
}

const paid = (changes: Partial<Extract<PaymentOutcome, { _tag: "Included" }>> = {}): PaymentOutcome => ({
  _tag: "Included",
  transactionId: id,
  block,
  succeeded: true,
  gasPaid: 21n,
  final: false,
  ...changes
})

const outcomes = {
  name: "a payment in a block",
  rule: outcomeRule,
  truths: fc.boolean().map((final) => paid({ final })),
  lies: fc.constantFrom<PaymentOutcome>(
    { _tag: "Superseded" },
    { _tag: "Expired" },
    { _tag: "Unseen" },
    paid({ succeeded: false, final: true }),
    paid({ gasPaid: 1n, final: true }),
    paid({ block: elsewhere, final: true })
  )
}

const pending = {
  name: "a payment in no block",
  rule: outcomeRule,
  truths: fc.constantFrom<PaymentOutcome>({ _tag: "Pending" }, { _tag: "Unseen" }),
  lies: fc.constantFrom<PaymentOutcome>(
    { _tag: "Superseded" },
    { _tag: "Expired" },
    paid({ final: true }),
    paid({ succeeded: false, final: true })
  )
}

const finalities = {
  name: "a final block",
  rule: finalityRule(10n),
  truths: fc.bigInt({ min: 8n, max: 30n }).map((height): FinalityNow => ({
    found: block.hash,
    newest: { height, hash: word(Number(height)) }
  })),
  lies: fc.constantFrom<FinalityNow>(
    { found: elsewhere.hash, newest: { height: 1_000n, hash: word(4) } },
    { found: undefined, newest: undefined }
  )
}

interface Kind<A> {
  readonly name: string
  readonly rule: ReadingRule<A>
  readonly truths: fc.Arbitrary<A>
  readonly lies: fc.Arbitrary<A>
}

const quorumOf = (size: number, needed: number) =>
  Result.getOrThrow(makeEndpointQuorum(Array.from({ length: size }, (_, index) => `node-${index}`), needed))

/**
 * Hosts in the order in which they answer. Each gives the truth, the common lie, a lie that no other tells, or no
 * answer.
 */
const plays = <A>({ lies, truths }: Kind<A>) =>
  fc.integer({ min: 2, max: 6 }).chain((size) =>
    fc.integer({ min: Math.floor(size / 2) + 1, max: size }).chain((needed) =>
      fc.record({
        quorum: fc.constant(quorumOf(size, needed)),
        lie: lies,
        said: fc.array(fc.oneof(truths, lies), { minLength: size, maxLength: size }),
        roles: fc.array(fc.constantFrom("true", "true", "same lie", "own lie", "silent"), {
          minLength: size,
          maxLength: size
        }),
        truth: fc.array(truths, { minLength: size, maxLength: size }),
        order: fc.shuffledSubarray(Array.from({ length: size }, (_, index) => index), {
          minLength: size,
          maxLength: size
        })
      })
    )
  )

interface Play<A> {
  readonly quorum: ReturnType<typeof quorumOf>
  readonly lie: A
  readonly said: ReadonlyArray<A>
  readonly roles: ReadonlyArray<string>
  readonly truth: ReadonlyArray<A>
  readonly order: ReadonlyArray<number>
}

const answerAt = <A>({ lie, quorum, roles, said, truth }: Play<A>, index: number): EndpointAnswer<A> => {
  const host = quorum.hosts[index] ?? ""
  const [honest, own] = [truth[index], said[index]]
  if (roles[index] === "silent" || honest === undefined || own === undefined) return { _tag: "Failed", host }
  return { _tag: "Answer", host, evidence: roles[index] === "true" ? honest : roles[index] === "same lie" ? lie : own }
}

const laws = <A>(kind: Kind<A>) => {
  const { name, rule } = kind
  describe(`the quorum's decision on ${name}`, () => {
    it("is never a lie of fewer endpoints than it needs, however early it decides", () => {
      fc.assert(
        fc.property(plays(kind), (play) => {
          const all = play.order.map((index) => answerAt(play, index))
          for (let heard = 1; heard <= all.length; heard += 1) {
            const reading = agreeOnReading(play.quorum, rule, all.slice(0, heard), all.length - heard)
            if (reading === undefined || Result.isFailure(reading)) continue
            const { agreeing, answer } = reading.success
            const tellers = all.filter((each) => each._tag === "Answer" && rule.same(each.evidence, answer))
            assert.isAtLeast(new Set(tellers.map(({ host }) => host)).size, play.quorum.needed)
            assert.isAtLeast(agreeing.length, play.quorum.needed)
          }
        }),
        { numRuns: inputs(2_000, 200_000) }
      )
    })

    it("is the same for every order of the answers", () => {
      fc.assert(
        fc.property(plays(kind), (play) => {
          const whole = agreeOnReading(play.quorum, rule, play.order.map((index) => answerAt(play, index)), 0)
          const all = play.order.map((index) => answerAt(play, index))
          for (let heard = 1; heard < all.length; heard += 1) {
            const early = agreeOnReading(play.quorum, rule, all.slice(0, heard), all.length - heard)
            if (early === undefined) continue
            // An early decision is always a success. With all answers, only how far it goes may differ.
            if (Result.isFailure(early) || whole === undefined || Result.isFailure(whole)) {
              return assert.fail("undecided")
            }
            assert.isTrue(rule.same(early.success.answer, whole.success.answer))
          }
        }),
        { numRuns: inputs(2_000, 200_000) }
      )
    })

    it("names every host that contradicts it, and none that agrees or is silent", () => {
      fc.assert(
        fc.property(plays(kind), (play) => {
          const all = play.order.map((index) => answerAt(play, index))
          const reading = agreeOnReading(play.quorum, rule, all, 0)
          if (reading === undefined || Result.isFailure(reading)) return
          const { agreeing, answer, contradicting } = reading.success
          const others = all.flatMap((each) =>
            each._tag === "Answer" && !rule.same(each.evidence, answer) ? [each.host] : []
          )
          assert.sameMembers(contradicting.map(({ host }) => host), others)
          assert.isTrue(agreeing.every((host) => !others.includes(host)))
        }),
        { numRuns: inputs(1_000, 100_000) }
      )
    })
  })
}

laws(standings)
laws(outcomes)
laws(pending)
laws(finalities)

describe("answers that are combined", () => {
  const quorum = quorumOf(3, 2)
  const answers = <A>(...said: ReadonlyArray<A>): ReadonlyArray<EndpointAnswer<A>> =>
    said.map((evidence, index) => ({ _tag: "Answer", host: `node-${index}`, evidence }))
  const agreed = <A>(rule: ReadingRule<A>, ...said: ReadonlyArray<A>) => {
    const reading = agreeOnReading(quorum, rule, answers(...said), 0)
    return reading === undefined || Result.isFailure(reading) ? assert.fail("no agreement") : reading.success
  }

  it("are as deep and as final as enough endpoints report, not as one reports", () => {
    const boast = included({ confirmations: 1_000, final: true })
    assert.deepInclude(agreed(standingRule, boast, included(), included({ confirmations: 2 })).answer, {
      confirmations: 3,
      final: false
    })
    assert.deepInclude(agreed(standingRule, boast, included({ final: true }), included()).answer, { final: true })
    assert.deepInclude(agreed(outcomeRule, paid({ final: true }), paid(), paid()).answer, { final: false })
    assert.deepInclude(agreed(outcomeRule, paid({ final: true }), paid({ final: true }), paid()).answer, {
      final: true
    })
    const at = (height: bigint): FinalityNow => ({ found: block.hash, newest: { height, hash: word(Number(height)) } })
    assert.deepStrictEqual(agreed(finalityRule(10n), at(900n), at(12n), at(11n)).answer, at(12n))
  })

  it("count one host once, however many of its endpoints answer", () => {
    const twice: ReadonlyArray<EndpointAnswer<Standing>> = [
      { _tag: "Answer", host: "node-0", evidence: included({ final: true }) },
      { _tag: "Answer", host: "node-0", evidence: included({ final: true }) },
      { _tag: "Answer", host: "node-1", evidence: included() }
    ]
    const reading = agreeOnReading(quorum, standingRule, twice, 0)
    if (reading === undefined || Result.isFailure(reading)) return assert.fail("no agreement")
    assert.deepInclude(reading.success.answer, { final: false })
  })

  it("contradict conclusively only where no later block can explain it", () => {
    const conclusive = <A>(rule: ReadingRule<A>, agreedOn: A, other: A) =>
      agreed(rule, agreedOn, agreedOn, other).contradicting.map((each) => each.conclusive)
    assert.deepStrictEqual(conclusive<Standing>(standingRule, included({ final: true }), { _tag: "Gone" }), [true])
    assert.deepStrictEqual(conclusive<Standing>(standingRule, { _tag: "Gone" }, included({ final: true })), [true])
    assert.deepStrictEqual(conclusive<Standing>(standingRule, { _tag: "Gone" }, included()), [false])
    assert.deepStrictEqual(conclusive<Standing>(standingRule, included(), { _tag: "Gone" }), [false])
    assert.deepStrictEqual(conclusive<PaymentOutcome>(outcomeRule, paid({ final: true }), { _tag: "Superseded" }), [
      true
    ])
    // An endpoint that lags behind does not know the payment yet.
    assert.deepStrictEqual(conclusive<PaymentOutcome>(outcomeRule, paid({ final: true }), { _tag: "Unseen" }), [false])
    assert.deepStrictEqual(conclusive<PaymentOutcome>(outcomeRule, { _tag: "Pending" }, { _tag: "Expired" }), [false])
  })

  it("are reached by as many as asked for", () => {
    assert.strictEqual(reachedBy([1, 5, 3], 2), 3)
    assert.strictEqual(reachedBy([1n, 5n, 3n], 3), 1n)
    assert.strictEqual(reachedBy([1], 2), undefined)
  })
})

describe("an endpoint that contradicts its quorum", () => {
  const BLOCK_MS = 1_000
  it("is left out at once when no later block can explain it", () =>
    assert.deepStrictEqual(judgeContradiction(undefined, true, BLOCK_MS, 5), { _tag: "LeaveOut" }))

  it("is otherwise left out after three times in a row over three block times, and not before", () => {
    let run: Contradicting | undefined
    const at = (now: number) => {
      const verdict = judgeContradiction(run, false, BLOCK_MS, now)
      run = verdict._tag === "Watch" ? verdict.run : undefined
      return verdict._tag
    }
    assert.deepStrictEqual([0, 100, 200, 300, 2_999, 3_000].map(at), [
      "Watch",
      "Watch",
      "Watch",
      "Watch",
      "Watch",
      "LeaveOut"
    ])
    run = undefined
    assert.deepStrictEqual([0, 10_000, 10_001].map(at), ["Watch", "Watch", "LeaveOut"])
  })

  it("is left out no sooner where blocks come faster than they reach other nodes", () => {
    const run: Contradicting = { since: 0, times: 2 }
    for (const blockTimeMs of [1, 200, 450]) {
      assert.strictEqual(judgeContradiction(run, false, blockTimeMs, 2_999)._tag, "Watch")
      assert.strictEqual(judgeContradiction(run, false, blockTimeMs, 3_000)._tag, "LeaveOut")
    }
  })
})
