/** Prices as nodes tell them: a zero has no value, and a price without its key is unknown. */
import { assert, describe, it } from "@effect/vitest"
import { pricesIn } from "./ChainParameters.ts"

const parameters = [
  { key: "getMaintenanceTimeInterval", value: 21_600_000 },
  { key: "getEnergyFee", value: 100 },
  { key: "getTransactionFee", value: 1_000 },
  { key: "getMemoFee", value: 1_000_000 },
  { key: "getCreateAccountFee", value: 100_000 },
  { key: "getCreateNewAccountFeeInSystemContract", value: 1_000_000 },
  { key: "getMaxFeeLimit", value: 15_000_000_000 }
]

const without = (name: string) => parameters.filter(({ key }) => key !== name)

describe("the parameters of a Tron chain", () => {
  it("are prices in sun; a new account costs both of its fees", () => {
    assert.deepStrictEqual(pricesIn({ chainParameter: parameters }), {
      energy: 100n,
      bandwidth: 1_000n,
      memo: 1_000_000n,
      newAccount: 1_100_000n,
      mostFeeLimit: 15_000_000_000n
    })
  })

  it("have no value where it is zero; without its key, or below zero, a price is unknown", () => {
    for (const { key } of parameters.slice(1)) {
      assert.isDefined(pricesIn({ chainParameter: [...without(key), { key }] }), key)
      assert.isUndefined(pricesIn({ chainParameter: without(key) }), key)
      assert.isUndefined(pricesIn({ chainParameter: [...without(key), { key, value: -5_000_000_000 }] }), key)
    }
    for (const answer of [undefined, {}, { chainParameter: "" }, { Error: "busy" }]) {
      assert.isUndefined(pricesIn(answer))
    }
  })
})
