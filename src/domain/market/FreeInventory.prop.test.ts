import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
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

const holdings: fc.Arbitrary<Holding> = fc.record({ inventory: units, promised: units, waiting })

const NOW = 10

const sum = (all: ReadonlyArray<Waiting>): bigint => all.reduce((total, { amount }) => total + amount, 0n)

const law = (name: string, holds: (holding: Holding) => void) => it(name, () => fc.assert(fc.property(holdings, holds)))

describe("who may use a holding's inventory", () => {
  law("fills whose turn it is take together no more than what is unreserved", (holding) => {
    const served = holding.waiting.filter((each) => each.until >= NOW && isTurn(holding, each, NOW))
    assert.isTrue(served.length === 0 || sum(served) + holding.promised <= holding.inventory)
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
    assert.isTrue(free === 0n || free + sum(served) + holding.promised <= holding.inventory)
  })

  law("a fill that waits for more than there is does not block new requests", (holding) => {
    const large: Waiting = { orderId: "0xlarge", amount: holding.inventory + 1n, since: -1, until: NOW }
    const free = holding.inventory - holding.promised
    assert.strictEqual(freeForNew({ ...holding, waiting: [large, ...holding.waiting] }, NOW), free > 0n ? free : 0n)
  })

  law(
    "every fill gets its turn: at once with enough inventory, and otherwise when those before it have timed out",
    (holding) => {
      const rich = { ...holding, inventory: holding.promised + sum(holding.waiting) }
      assert.isTrue(holding.waiting.every((each) => isTurn(rich, each, NOW)))
      const own: Waiting = { orderId: "0xown", amount: 1n, since: 9, until: 99 }
      const alone = { inventory: holding.promised + 1n, promised: holding.promised, waiting: [...holding.waiting, own] }
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
})
