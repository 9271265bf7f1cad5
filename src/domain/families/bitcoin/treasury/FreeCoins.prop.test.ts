/** The free coins of the pool, and payments as they are stored. */
import { assert, describe, it } from "@effect/vitest"
import { Transaction } from "bitcoinjs-lib"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { readBtcTransaction } from "../evidence/BtcTransaction.ts"
import { wallets } from "../steps/testing/Wallets.ts"
import { ancestorsOf, coinName, freeCoins } from "./FreeCoins.ts"
import { coinsIn, readStoredForm, writeStoredForm } from "./PaymentForm.ts"
import type { PaymentForm, StoredForm } from "./PaymentForm.ts"

const [solver, recipient] = wallets
if (solver === undefined || recipient === undefined) throw new Error("no wallets")

const FOUND = 6
const coinsInBlocks = Array.from({ length: FOUND }, (_, index) => ({
  transactionId: "ab".repeat(32),
  index,
  amount: 1_000n
}))

/** Each payment takes free coins, which `picks` select, and makes two outputs of change. */
const paid = (picks: ReadonlyArray<ReadonlyArray<number>>) => {
  const waiting: Array<StoredForm> = []
  const claimed = new Set<string>()
  const free = () => freeCoins({ confirmed: coinsInBlocks, waiting, claimed, script: solver.script })
  for (const each of picks) {
    const coins = [...new Set(each.flatMap((pick) => free()[pick % free().length] ?? []))]
    if (coins.length === 0) continue
    const transaction = new Transaction()
    for (const { index, transactionId } of coins) {
      transaction.addInput(Buffer.from(transactionId, "hex").toReversed(), index)
    }
    for (const script of [recipient.script, solver.script, solver.script]) transaction.addOutput(script, 300n)
    const bytes = Uint8Array.from(transaction.toBuffer())
    const form: PaymentForm = {
      ...readBtcTransaction(bytes) ?? assert.fail("no transaction"),
      bytes,
      amounts: coins.map(({ amount }) => amount)
    }
    waiting.push({ form, ancestors: ancestorsOf(coins, waiting) })
    for (const coin of coins) claimed.add(coinName(coin))
  }
  return { waiting, claimed, free: free() }
}

/** Some coins of some payments are a deposit address's. */
const places = fc.array(
  fc.option(fc.record({ generation: fc.nat(0x7fff_ffff), number: fc.nat(0x7fff_ffff) }), { nil: undefined }),
  { minLength: 3, maxLength: 3 }
)

const pools = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }), { maxLength: 8 }).map(paid)

/** All that is related, over any number of steps. */
const relatives = (forms: ReadonlyArray<PaymentForm>, id: string): number => {
  const seen = new Set([id])
  for (let size = 0; size !== seen.size;) {
    size = seen.size
    for (const form of forms) {
      const linked = [form.id, ...form.inputs.map(({ transactionId }) => transactionId)].filter((each) =>
        forms.some((other) => other.id === each)
      )
      if (linked.some((each) => seen.has(each))) { for (const each of linked) seen.add(each) }
    }
  }
  return seen.size
}

describe("the free coins of the pool", () => {
  it("are those that no payment claims, each once, with all relatives of change that waits", () => {
    fc.assert(
      fc.property(pools, ({ claimed, free, waiting }) => {
        const forms = waiting.map(({ form }) => form)
        const made = forms.flatMap(({ id }) => [1, 2].map((index) => ({ transactionId: id, index })))
        assert.deepStrictEqual(
          free.map(coinName).toSorted(),
          [...coinsInBlocks, ...made].map(coinName).filter((name) => !claimed.has(name)).toSorted()
        )
        for (const { cluster, transactionId } of free) {
          assert.strictEqual(
            cluster?.transactions,
            forms.some(({ id }) => id === transactionId) ? relatives(forms, transactionId) : undefined
          )
        }
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("in blocks need nothing, whatever is stored of who made them", () => {
    fc.assert(
      fc.property(pools, ({ claimed, free, waiting }) => {
        const mined = free.filter(({ cluster }) => cluster !== undefined)
        const known = freeCoins({ confirmed: [...coinsInBlocks, ...mined], waiting, claimed, script: solver.script })
        assert.deepStrictEqual(known.map(coinName).toSorted(), free.map(coinName).toSorted())
        assert.lengthOf(ancestorsOf(known, waiting), 0)
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })
})

describe("a payment as it is stored", () => {
  it("keeps the places of its coins' keys, so that a sweep can be signed again at a higher fee", () => {
    fc.assert(
      fc.property(pools, places, ({ waiting }, of) => {
        for (const { ancestors, form } of waiting) {
          const keys = form.inputs.map((_, at) => of[at])
          const read = readStoredForm(writeStoredForm({ form: { ...form, keys }, ancestors }))
          const expected = form.inputs.map((coin, at) => ({ ...coin, amount: form.amounts[at] ?? 0n, key: of[at] }))
          assert.deepStrictEqual(coinsIn(read?.form ?? assert.fail("unread")), expected)
        }
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("is read as it was written, with each parent before its child; any other text is refused", () => {
    fc.assert(
      fc.property(pools, fc.nat(), ({ waiting }, any) => {
        const makers = waiting.map(({ form: { id, inputs } }) => ({ id, inputs }))
        const made = waiting.map((stored, at) => at % 2 === 0 ? { ...stored, makers } : stored)
        for (const stored of made) {
          const text = writeStoredForm(stored)
          assert.deepStrictEqual(readStoredForm(text), stored)
          const order = [...stored.ancestors, stored.form].map(({ id }) => id)
          for (const [at, form] of [...stored.ancestors, stored.form].entries()) {
            const needs = form.inputs.filter(({ transactionId }) =>
              waiting.some((each) => each.form.id === transactionId)
            )
            assert.isTrue(needs.every(({ transactionId }) => order.slice(0, at).includes(transactionId)))
          }
          const cut = text.slice(0, any % text.length)
          const read = readStoredForm(cut)
          assert.isTrue(read === undefined || writeStoredForm(read) === cut)
        }
        assert.isUndefined(readStoredForm("0x"))
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })
})
