/**
 * No sequence of payments, reindexes, sweeps, fillings and crashes at a deposit address loses or doubles a unit
 * (ADDRESS-14).
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { AddressWorld, AMOUNT_IN, REFUND_GAS, WORTH_SWEEPING } from "./testing/AddressWorld.ts"
import type { Coin } from "./testing/AddressWorld.ts"

const units = fc.oneof(
  fc.constantFrom(1n, AMOUNT_IN - 1n, AMOUNT_IN, AMOUNT_IN + 1n, AMOUNT_IN + REFUND_GAS + 1n, 2n * AMOUNT_IN),
  fc.bigInt({ min: 1n, max: 500n })
)

type Move = (world: AddressWorld) => void

/** A move with a name, which is shown when a sequence fails. */
const move = <A>(name: string, given: fc.Arbitrary<A>, carryOut: (world: AddressWorld, given: A) => void) =>
  given.map((value): { readonly toString: () => string; readonly run: Move } => ({
    toString: () => `${name} ${fc.stringify(value)}`,
    run: (world) => {
      carryOut(world, value)
    }
  }))

const lag = fc.nat({ max: 3 })

const moves = fc.oneof(
  {
    weight: 4,
    arbitrary: move(
      "pay",
      fc.record({ coin: fc.constantFrom<Coin>("quoted", "quoted", "other"), units }),
      (world, { coin, units }) => {
        world.pay(coin, units)
      }
    )
  },
  {
    // The complete path into the depository. Weighted, so that many sequences have several deposits.
    weight: 3,
    arbitrary: move("deposit", units, (world, amount) => {
      world.pay("quoted", amount)
      world.reindex(0)
      world.sweep()
      world.closeSweep()
    })
  },
  {
    weight: 3,
    arbitrary: move("reindex", lag, (world, behind) => {
      world.reindex(behind)
    })
  },
  {
    weight: 1,
    arbitrary: move("plan", lag, (world, behind) => {
      world.hold(behind)
    })
  },
  {
    weight: 1,
    arbitrary: move("write the plan", fc.constant(0), (world) => {
      world.writeHeld()
    })
  },
  {
    weight: 3,
    arbitrary: move("sweep", fc.constant(0), (world) => {
      world.sweep()
    })
  },
  {
    weight: 3,
    arbitrary: move("close the sweep", fc.constant(0), (world) => {
      world.closeSweep()
    })
  },
  {
    weight: 6,
    arbitrary: move(
      "work",
      fc.record({
        index: fc.nat({ max: 5 }),
        lost: fc.boolean(),
        gas: fc.bigInt({ min: 0n, max: 60n }),
        market: fc.bigInt({ min: 1n, max: 250n })
      }),
      (world, { index, ...how }) => {
        world.work(index, how)
      }
    )
  },
  {
    weight: 1,
    arbitrary: move("wait", fc.constantFrom(5, 31, 700), (world, seconds) => {
      world.pass(seconds)
    })
  },
  {
    weight: 1,
    arbitrary: move("crash", fc.constant(0), (world) => {
      world.crash()
    })
  }
)

const sum = (all: ReadonlyArray<bigint>): bigint => all.reduce((total, each) => total + each, 0n)

const assertAccounted = (world: AddressWorld) => {
  assert.deepStrictEqual(world.complaints, [])
  for (const coin of ["quoted", "other"] as const) {
    const deposits = world.fillings.filter((filling) => filling.coin === coin)
    assert.strictEqual(
      sum(deposits.map(({ deposit }) => deposit.amount)) + world.at(coin),
      world.paid[coin],
      `${coin}: deposited and left`
    )
    for (const { account: { filled, gas, onRecord, paidBack, waiting }, deposit } of deposits) {
      assert.strictEqual(
        filled + paidBack + gas + onRecord + waiting,
        deposit.amount,
        `a deposit of ${deposit.amount} ${coin}`
      )
      assert.isTrue([filled, paidBack, gas, onRecord, waiting].every((part) => part >= 0n))
      assert.isTrue(paidBack === 0n || gas < paidBack + gas)
      if (coin === "other") assert.strictEqual(filled, 0n, "another currency was filled")
      if (world.mode === "strict") {
        assert.isTrue(filled === 0n || filled === AMOUNT_IN, `${filled} was filled at a strict address`)
      }
    }
  }
}

/** Every payment is mined once, a deposit is filled or refunded, and an order is filled for one deposit. */
const assertOnce = ({ fillings, legs, mined }: AddressWorld) => {
  assert.strictEqual(new Set(mined).size, mined.length)
  for (const { account, deposit } of fillings) {
    const isFilled = legs.get(`fill:${deposit.depositId}`)?.deposit === deposit.onchainId
    assert.isFalse(isFilled && mined.includes(`refund:${deposit.onchainId}`), "filled and refunded")
    assert.strictEqual(account.filled > 0n, isFilled)
    const back = ["refund", "excess"].map((leg) => legs.get(`${leg}:${deposit.onchainId}`)?.amount ?? 0n)
    assert.strictEqual(sum(back), account.paidBack, "what was paid back is not what is accounted")
  }
}

describe("any number of payments, reindexes, sweeps, fillings and crashes at an address", () => {
  it("lose nothing and pay nothing twice: paid = filled + refunded + its gas + on record + waiting + left there", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("open" as const, "strict" as const),
        fc.boolean(),
        fc.array(moves, { maxLength: 60 }),
        (mode, named, sequence) => {
          const world = new AddressWorld(mode, named)
          for (const { run } of sequence) run(world)
          world.settle()
          assertAccounted(world)
          assertOnce(world)
          for (const coin of ["quoted", "other"] as const) {
            assert.isTrue(
              world.at(coin) < WORTH_SWEEPING,
              "what is worth its sweep was left"
            )
          }
          for (const order of world.orders) {
            assert.strictEqual(
              world.statuses.get(order) === "success",
              world.isFilled(order),
              "a request says otherwise than what was paid"
            )
          }
        }
      ),
      { numRuns: inputs(3_000) }
    )
  })
})
