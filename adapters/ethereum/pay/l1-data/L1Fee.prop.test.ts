/** The size of which a transaction's fee for data on L1 is asked, and what a receipt says that was paid (PRICE-28). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { serializeTransaction, size, toHex } from "viem"
import type { Hex, TransactionReceipt } from "viem"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { expectedL1Fee, mostL1Fee, paidFor, unsignedBytes, usualData } from "./L1Fee.ts"

const bytes = (least: number, most: number) =>
  fc.uint8Array({ minLength: least, maxLength: most }).map((some): Hex => `0x${Buffer.from(some).toString("hex")}`)
const upTo = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })
const account = bytes(20, 20)

const authorization = fc.record({
  chainId: fc.nat(),
  address: account,
  nonce: fc.nat(),
  yParity: fc.constantFrom(0, 1),
  r: bytes(32, 32),
  s: bytes(32, 32)
})

const unsigned = fc.record({
  chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  nonce: fc.nat(),
  gas: upTo(24),
  maxFeePerGas: upTo(64),
  to: account,
  value: upTo(96),
  data: bytes(0, 70_000)
})

const receipt = (parts: object) => ({ gasUsed: 21_000n, effectiveGasPrice: 3n, ...parts }) as TransactionReceipt
const GAS = 63_000n

describe("a transaction's fee for data on L1", () => {
  it("is asked for no fewer bytes than the unsigned transaction has, and for few more", () =>
    fc.assert(
      fc.property(unsigned, fc.array(authorization, { maxLength: 8 }), (plain, authorizationList) => {
        const common = { ...plain, maxPriorityFeePerGas: plain.maxFeePerGas }
        const real = authorizationList.length === 0
          ? serializeTransaction({ ...common, type: "eip1559" })
          : serializeTransaction({ ...common, type: "eip7702", authorizationList })
        const asked = unsignedBytes({ data: plain.data, authorizationList })
        assert.isTrue(asked >= size(real), `${asked} ${size(real)}`)
        assert.isTrue(asked <= size(real) + 70 + 30 * authorizationList.length, `${asked} ${size(real)}`)
      }),
      { numRuns: inputs(500, 10_000) }
    ))

  it("is paid besides the gas, as the receipt of such a chain says, and of no other", () =>
    fc.assert(
      fc.property(upTo(90), (l1Fee) => {
        const shown = receipt({ l1Fee: toHex(l1Fee) })
        assert.strictEqual(paidFor({ l1DataFee: "op-stack" }, shown), GAS + l1Fee)
        assert.strictEqual(paidFor({ l1DataFee: "arbitrum" }, shown), GAS)
        assert.strictEqual(paidFor({}, shown), GAS)
      }),
      { numRuns: inputs(200, 2_000) }
    ))

  it("has the operator's fee beside it: for a million gas by the receipts of Isthmus, a hundredfold for each by Jovian's", () =>
    fc.assert(
      fc.property(upTo(32), upTo(64), upTo(90), (scalar, constant, l1Fee) => {
        const shown = {
          l1Fee: toHex(l1Fee),
          operatorFeeScalar: toHex(scalar),
          operatorFeeConstant: toHex(constant)
        }
        const paid = (parts: object) => paidFor({ l1DataFee: "op-stack" }, receipt({ ...shown, ...parts }))
        assert.strictEqual(paid({}), GAS + l1Fee + 21_000n * scalar / 1_000_000n + constant)
        assert.strictEqual(paid({ daFootprintGasScalar: "0x190" }), GAS + l1Fee + 2_100_000n * scalar + constant)
        assert.strictEqual(paidFor({}, receipt(shown)), GAS)
      }),
      { numRuns: inputs(200, 2_000) }
    ))

  it("is expected and reserved with at least what the operator takes for that gas, by either formula", () =>
    fc.assert(
      fc.property(upTo(32), upTo(64), upTo(24), upTo(60), (scalar, constant, gas, data) => {
        const formulas = [
          (used: bigint) => used * scalar / 1_000_000n + constant,
          (used: bigint) => used * scalar * 100n + constant
        ]
        for (const fee of formulas) {
          const fees = { data, operator: { each: fee(0n), forMuchGas: fee(10n ** 9n) - fee(0n) } }
          const over = expectedL1Fee(fees, gas) - data * 9n / 8n - fee(gas)
          assert.isTrue(over >= 0n && over <= 1n)
          assert.isTrue(mostL1Fee(fees, gas) >= 2n * (data + fee(gas)))
        }
      }),
      { numRuns: inputs(500, 5_000) }
    ))

  it("is nothing where a receipt does not say it in a number", () =>
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.constant("0x"), fc.constant("0xg")), (said) => {
        fc.pre(!(typeof said === "string" && /^0x[0-9a-f]+$/i.test(said)))
        assert.strictEqual(paidFor({ l1DataFee: "op-stack" }, receipt({ l1Fee: said })), GAS)
      }),
      { numRuns: inputs(500, 5_000) }
    ))

  it("is asked for usual data by its length", () => {
    for (const length of [0, 1, 31, 32, 33, 132, 324]) assert.strictEqual(size(usualData(length)), length)
  })
})
