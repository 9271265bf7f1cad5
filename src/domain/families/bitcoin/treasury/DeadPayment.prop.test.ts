/** When a payment is dead: against every history that the chain could still have, with replaced parents. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { isDead, isPaymentDead } from "./DeadPayment.ts"
import type { FinalSpends, SpendingInputs } from "./DeadPayment.ts"

const FOUND = 4
const OUTPUTS = 2

/** Transactions of coins that were there before, and of each other's outputs. Any two may spend the same coin. */
const transactions: fc.Arbitrary<ReadonlyArray<SpendingInputs>> = fc.array(
  fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 9 }
).map((made) =>
  made.map((picks, at) => ({
    id: `t${at}`,
    inputs: [...new Set(picks.map((pick) => pick % (FOUND + OUTPUTS * at)))].map((coin) =>
      coin < FOUND
        ? { transactionId: "found", index: coin }
        : { transactionId: `t${Math.floor((coin - FOUND) / OUTPUTS)}`, index: (coin - FOUND) % OUTPUTS }
    )
  }))
)

type Coin = SpendingInputs["inputs"][number]
const nameOf = ({ index, transactionId }: Coin): string => `${transactionId}:${index}`

/** A history: what blocks hold, in their order. It takes only what spends coins that are there. */
class History {
  readonly holds: Array<SpendingInputs> = []

  append(transaction: SpendingInputs): boolean {
    const isThere = (coin: Coin) =>
      (coin.transactionId === "found" || this.holds.some(({ id }) => id === coin.transactionId)) &&
      !this.holds.some(({ inputs }) => inputs.some((spent) => nameOf(spent) === nameOf(coin)))
    if (this.holds.some(({ id }) => id === transaction.id) || !transaction.inputs.every(isThere)) return false
    this.holds.push(transaction)
    return true
  }

  get final(): FinalSpends {
    return {
      isFinal: (id) => this.holds.some((each) => each.id === id),
      spenderOf: (coin) => this.holds.find((each) => each.inputs.some((spent) => nameOf(spent) === nameOf(coin)))?.id
    }
  }
}

const picked = (all: ReadonlyArray<SpendingInputs>, order: ReadonlyArray<number>): ReadonlyArray<SpendingInputs> =>
  order.flatMap((at) => all[at % all.length] ?? [])

const orders = fc.array(fc.nat(), { maxLength: 12 })

/** The transaction and all that it needs, in the order in which they were made. */
const needed = (all: ReadonlyArray<SpendingInputs>, { id }: SpendingInputs): ReadonlyArray<SpendingInputs> => {
  const wanted = new Set([id])
  for (const each of all.toReversed()) {
    if (wanted.has(each.id)) { for (const input of each.inputs) wanted.add(input.transactionId) }
  }
  return all.filter((each) => wanted.has(each.id))
}

const worlds = fc.record({ all: transactions, before: orders, after: orders }).map(({ after, all, before }) => {
  const history = new History()
  for (const each of picked(all, before)) history.append(each)
  return { all, after, history, final: history.final, known: new Map(all.map((each) => [each.id, each])) }
})

describe("a payment that is dead", () => {
  it("is in no block and in no later history, whatever comes", () => {
    fc.assert(
      fc.property(worlds, ({ after, all, final, history, known }) => {
        const dead = all.filter((each) => isDead(each, known, final))
        assert.isFalse(dead.some(({ id }) => final.isFinal(id)))
        for (const each of [...picked(all, after), ...all]) {
          history.append(each)
          assert.isFalse(dead.some(({ id }) => history.final.isFinal(id)))
          assert.isTrue(dead.every((one) => isDead(one, known, history.final)))
        }
      }),
      { numRuns: inputs(5_000, 200_000) }
    )
  })

  it("is exactly one that no later history can contain: a payment that can still be mined is waited for", () => {
    fc.assert(
      fc.property(worlds, ({ all, final, history, known }) => {
        for (const each of all) {
          if (final.isFinal(each.id)) continue
          const needs = needed(all, each)
          // One whose own ancestors spend a coin twice was never valid, and is never signed.
          const coins = needs.flatMap(({ inputs }) => inputs.map(nameOf))
          if (new Set(coins).size !== coins.length) continue
          const later = new History()
          for (const held of history.holds) later.append(held)
          for (const one of needs) later.append(one)
          assert.strictEqual(isDead(each, known, final), !later.final.isFinal(each.id), each.id)
        }
      }),
      { numRuns: inputs(5_000, 200_000) }
    )
  })

  it("signed again with other coins is in blocks once, whichever of its forms comes when", () => {
    fc.assert(
      fc.property(worlds, fc.nat(), ({ after, all, final, history, known }, which) => {
        const variants = all.filter(({ inputs: [coin] }) =>
          coin?.transactionId === "found" && coin.index === which % FOUND
        )
        if (variants.length === 0 || !isPaymentDead(variants, known, final)) return
        history.append({ id: "again", inputs: [{ transactionId: "found", index: FOUND }] })
        for (const each of [...picked(all, after), ...all]) history.append(each)
        const paid = [...variants.map(({ id }) => id), "again"].filter(history.final.isFinal)
        assert.deepStrictEqual(paid, ["again"])
      }),
      { numRuns: inputs(5_000, 200_000) }
    )
  })

  it("is a child whose parent was replaced, and not the replacement's own child", () => {
    const spends = (id: string, transactionId: string) => ({ id, inputs: [{ transactionId, index: 0 }] })
    const [parent, replacement] = [spends("parent", "found"), spends("replacement", "found")]
    const [child, other] = [spends("child", "parent"), spends("other", "replacement")]
    const grandchild = spends("grandchild", "child")
    const known = new Map([parent, replacement, child, other, grandchild].map((each) => [each.id, each]))
    const history = new History()
    assert.isFalse(isDead(grandchild, known, history.final))
    history.append(replacement)
    assert.deepStrictEqual(
      [parent, replacement, child, other, grandchild].map((each) => isDead(each, known, history.final)),
      [true, false, true, false, true]
    )
  })
})
