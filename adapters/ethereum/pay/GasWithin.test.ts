import { assert, describe, it } from "@effect/vitest"
import { gasWithin } from "./GasWithin.ts"

describe("the gas that a transaction keeps at a higher fee", () => {
  const signed = { gas: 900_000n, maxFeePerGas: 10n, data: "0x1234" } as const

  it("costs no more than before, and is unchanged where the fee is no higher", () => {
    assert.strictEqual(gasWithin(signed, 10n), 900_000n)
    assert.strictEqual(gasWithin(signed, 5n), 900_000n)
    for (const fee of [11n, 13n, 97n, 400n]) {
      const gas = gasWithin(signed, fee) ?? 0n
      assert.isTrue(gas * fee <= 9_000_000n && (gas + 1n) * fee > 9_000_000n, `${gas} at ${fee}`)
    }
  })

  it("is undefined where no block would accept a transaction with so little gas", () => {
    // 21,000, and 64 for each byte.
    assert.strictEqual(gasWithin({ ...signed, gas: 21_128n }, 10n), 21_128n)
    assert.isUndefined(gasWithin({ ...signed, gas: 21_127n }, 10n))
    assert.isUndefined(gasWithin({ ...signed, gas: 71_127n, authorizationList: [{}, {}] }, 10n))
    assert.isUndefined(gasWithin(signed, 500n))
    // What the chain takes beyond that: data on L1, the state of delegations.
    assert.strictEqual(gasWithin({ ...signed, gas: 240_000n }, 10n, 218_000n), 240_000n)
    assert.isUndefined(gasWithin({ ...signed, gas: 239_000n }, 10n, 218_000n))
  })
})
