import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { chooseAccount } from "./ChooseAccount.ts"
import { replacementBounds } from "./ReplacePayment.ts"

const NOW = 1_000_000
const chain = { blockTimeMs: 2_000 }
const { stuckMs } = replacementBounds(chain.blockTimeMs, 1n)

const account = fc.record({
  covers: fc.boolean(),
  inFlight: fc.nat(3),
  waits: fc.integer({ min: 0, max: 2 * stuckMs })
}).map(({ covers, inFlight, waits }) => ({ covers, inFlight, oldest: inFlight === 0 ? undefined : NOW - waits }))

type Account = Parameters<typeof chooseAccount>[0][number]

const isStuck = ({ oldest = NOW }: Account): boolean => NOW - oldest >= stuckMs

const law = (name: string, holds: (accounts: ReadonlyArray<Account>, chosen: Account | undefined) => void) =>
  it(name, () =>
    fc.assert(fc.property(fc.array(account, { maxLength: 6 }), (accounts) => {
      holds(accounts, chooseAccount(accounts, chain, NOW))
    })))

describe("the account that pays", () => {
  law("covers the payment, and there is one whenever any does", (accounts, chosen) => {
    assert.strictEqual(chosen !== undefined, accounts.some(({ covers }) => covers))
    assert.isTrue(chosen === undefined || chosen.covers)
  })

  law("is not stuck while another is free", (accounts, chosen) => {
    if (chosen === undefined || !isStuck(chosen)) return
    assert.isTrue(accounts.filter(({ covers }) => covers).every(isStuck))
  })

  law("has the fewest payments in flight of those like it, and is the first of these", (accounts, chosen) => {
    if (chosen === undefined) return
    const like = accounts.filter((each) => each.covers && isStuck(each) === isStuck(chosen))
    assert.isTrue(like.every(({ inFlight }) => inFlight >= chosen.inFlight))
    assert.strictEqual(like.find(({ inFlight }) => inFlight === chosen.inFlight), chosen)
  })

  it("is the only one there is, stuck or not", () => {
    const only = { covers: true, inFlight: 3, oldest: 0 }
    assert.strictEqual(chooseAccount([only], chain, NOW), only)
  })
})
