import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { freeForNew, isTurn, willWait } from "./FreeInventory.ts"
import type { Holding, Waiting } from "./FreeInventory.ts"

const units = fc.bigInt(0n, 100n)

const waiting: fc.Arbitrary<ReadonlyArray<Waiting>> = fc.array(
  fc.record({
    amount: fc.bigInt(1n, 60n),
    since: fc.integer({ min: 0, max: 5 }),
    until: fc.integer({ min: 0, max: 20 })
  }),
  { maxLength: 6 }
).map((all) => all.map((each, index) => ({ ...each, orderId: `0x${index}` })))

const total = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)
const most = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((max, each) => each > max ? each : max, 0n)

const promisedBy = (amounts: ReadonlyArray<bigint>) => ({ promised: total(amounts), largestPromise: most(amounts) })

const holdingsOf = (inventory: fc.Arbitrary<ReadonlyArray<bigint>>): fc.Arbitrary<Holding> =>
  fc.record({ inventory, reserved: fc.array(units, { maxLength: 4 }), waiting }).map(({ reserved, ...rest }) => ({
    ...rest,
    ...promisedBy(reserved)
  }))

const oneAccount = holdingsOf(units.map((amount) => [amount]))
const accounts = holdingsOf(fc.array(units, { minLength: 1, maxLength: 4 }))

const NOW = 10

const sum = (all: ReadonlyArray<Waiting>): bigint => total(all.map(({ amount }) => amount))
const held = ({ inventory }: Holding): bigint => total(inventory)

const law = (name: string, holds: (holding: Holding) => void, holdings = accounts) =>
  it(name, () => fc.assert(fc.property(holdings, holds)))

describe("who may use a holding's inventory", () => {
  law("fills whose turn it is take together no more than what is unreserved", (holding) => {
    const served = holding.waiting.filter((each) => each.until >= NOW && isTurn(holding, each, NOW))
    assert.isTrue(served.length === 0 || sum(served) + holding.promised <= held(holding))
  })

  law("no fill is served before one that has waited longer", (holding) => {
    const line = holding.waiting.filter(({ until }) => until >= NOW).toSorted((a, b) =>
      a.since - b.since || (a.orderId < b.orderId ? -1 : 1)
    )
    const turns = line.map((each) => isTurn(holding, each, NOW))
    assert.isFalse(turns.slice(1).some((turn, index) => turn && turns[index] === false))
  })

  law("inventory of fills whose turn it is goes to no new request, and reserved inventory to no one", (holding) => {
    const served = holding.waiting.filter((each) => each.until >= NOW && isTurn(holding, each, NOW))
    const free = freeForNew(holding, NOW)
    assert.isTrue(free >= 0n)
    assert.isTrue(free === 0n || free + sum(served) + holding.promised <= held(holding))
  })

  law("a fill that waits for more than there is does not block new requests", (holding) => {
    const large: Waiting = { orderId: "0xlarge", amount: held(holding) + 1n, since: -1, until: NOW }
    assert.strictEqual(
      freeForNew({ ...holding, waiting: [large, ...holding.waiting] }, NOW),
      freeForNew({ ...holding, waiting: [] }, NOW)
    )
  })

  law(
    "every fill gets its turn: at once with enough inventory, and otherwise when those before it have timed out",
    (holding) => {
      const rich = { ...holding, inventory: [holding.promised + sum(holding.waiting)] }
      assert.isTrue(holding.waiting.every((each) => isTurn(rich, each, NOW)))
      const own: Waiting = { orderId: "0xown", amount: 1n, since: 9, until: 99 }
      const alone = { ...holding, inventory: [holding.promised + 1n], waiting: [...holding.waiting, own] }
      assert.isTrue(isTurn(alone, own, 50))
    }
  )

  law("a request that need not wait comes after all that wait, and is served at once", (holding) => {
    const own: Waiting = { orderId: "0xown", amount: 7n, since: 9, until: 99 }
    assert.strictEqual(
      willWait(holding, own.amount, NOW),
      !isTurn({ ...holding, waiting: [...holding.waiting, own] }, own, NOW)
    )
  })

  law("of one account all that is not promised is free", (holding) => {
    const free = held(holding) - holding.promised
    assert.strictEqual(freeForNew({ ...holding, waiting: [] }, NOW), free > 0n ? free : 0n)
  }, oneAccount)
})

describe("a holding of several accounts, of which each payment takes one", () => {
  const wanted = fc.array(fc.bigInt(1n, 60n), { maxLength: 12 })
  const balances = fc.array(units, { minLength: 1, maxLength: 4 })
  const choices = fc.infiniteStream(fc.nat())

  it("inventory that was free when reserved can be paid, in any order, by any account that holds it", () => {
    fc.assert(
      fc.property(balances, wanted, choices, (inventory, asked, picks) => {
        const pick = <A>(from: ReadonlyArray<A>): A | undefined => {
          const next = picks.next()
          return next.done === true ? undefined : from[next.value % from.length]
        }
        const reserved: Array<bigint> = []
        for (const amount of asked) {
          if (amount <= freeForNew({ inventory, ...promisedBy(reserved), waiting: [] }, NOW)) reserved.push(amount)
        }
        const left = [...inventory]
        while (reserved.length > 0) {
          const amount = pick(reserved) ?? 0n
          reserved.splice(reserved.indexOf(amount), 1)
          const payer = pick(left.flatMap((balance, index) => balance >= amount ? [index] : []))
          assert.isDefined(payer, `no account of ${left.join()} can pay ${amount}`)
          left[payer ?? 0] = (left[payer ?? 0] ?? 0n) - amount
        }
      }),
      { numRuns: inputs(5_000, 200_000) }
    )
  })

  it("the largest balance is free where nothing is promised, and no more, whatever all have together", () => {
    fc.assert(fc.property(balances, (inventory) => {
      assert.strictEqual(freeForNew({ inventory, ...promisedBy([]), waiting: [] }, NOW), most(inventory))
    }))
  })
})
