/** Arbitrary orders: invalid ones are refused, and valid ones have one wire form and one id. */
import { families } from "../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import vectors from "../hub/vectors/settlement.json" with { type: "json" }
import { asAddress } from "../families/AddressCodec.ts"
import { Order } from "./Order.ts"
import { canonicalOrder } from "./CanonicalOrder.ts"
import { orderId } from "./OrderId.ts"
import { familyOf as anyFamilyOf, order } from "./testing/Orders.ts"

const decode = Schema.decodeUnknownResult(Order)
const encode = Schema.encodeUnknownSync(Order)
const familyOf = (slug: string) =>
  slug === "base" ? families["ethereum-vm"] : slug === "solana" ? families["solana-vm"] : undefined

/** Values that may replace a text or a number of an order. */
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "0",
    "00",
    "-1",
    "1.0",
    "1e3",
    "0x",
    "0X00",
    "0x0",
    "0xzz",
    "base",
    "solana",
    "v1",
    "v2",
    null,
    true,
    -1,
    0.5,
    4294967295,
    4294967296,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    (1n << 256n).toString(),
    ((1n << 256n) - 1n).toString(),
    `0x${"AB".repeat(32)}`,
    [],
    {},
    undefined,
    7n,
    "11111111111111111111111111111111",
    `0x${"0".repeat(40)}`,
    "1".repeat(100_000)
  ),
  fc.string({ maxLength: 80 }),
  fc.anything({ maxDepth: 2 })
)

/** Paths to every place in an order's JSON. */
const pathsOf = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))]
    : [path]

const replaced = (value: unknown, path: ReadonlyArray<string>, put: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return put
  if (Array.isArray(value)) {
    return value.map((inner: unknown, index): unknown => String(index) === key ? replaced(inner, rest, put) : inner)
  }
  if (typeof value !== "object" || value === null) return put
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === key ? replaced(inner, rest, put) : inner])
  )
}

const places = pathsOf(vectors.order.order, [])
const nearlyOrder = fc.array(fc.tuple(fc.constantFrom(...places), leaf), { minLength: 1, maxLength: 2 }).map((
  changes
) => changes.reduce((value: unknown, [path, put]) => replaced(value, path, put), vectors.order.order))

describe("orders from outside", () => {
  it("garbage is an error and never a throw; a decoded order encodes to the same order", () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 20, arbitrary: nearlyOrder }, { weight: 1, arbitrary: fc.anything() }), (json) => {
        const decoded = decode(json)
        if (Result.isFailure(decoded)) return
        assert.deepStrictEqual(Result.getOrThrow(decode(encode(decoded.success))), decoded.success)
        const id = orderId(decoded.success, familyOf)
        const canonical = canonicalOrder(decoded.success, familyOf)
        assert.strictEqual(Result.isSuccess(id), Result.isSuccess(canonical))
        if (Result.isSuccess(canonical)) assert.deepStrictEqual(orderId(canonical.success, familyOf), id)
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })

  it("no two different orders share an id: any member changed, swapped or moved changes it", () => {
    fc.assert(
      fc.property(order, (each) => {
        const [first] = each.inputs
        const more = (by: bigint) => by === (1n << 256n) - 1n ? by - 1n : by + 1n
        const variants: ReadonlyArray<Order> = [
          each,
          { ...each, inputs: each.inputs.toReversed() },
          { ...each, fees: each.fees.slice(1) },
          { ...each, solver: asAddress(`0x${each.solver.slice(3)}f`) },
          { ...each, output: { ...each.output, deadline: each.output.deadline === 0 ? 1 : each.output.deadline - 1 } },
          { ...each, output: { ...each.output, calls: [...each.output.calls, each.output.extraData] } },
          { ...each, output: { ...each.output, payments: each.output.payments.toReversed() } },
          {
            ...each,
            output: {
              ...each.output,
              payments: each.output.payments.map((paid) => ({
                ...paid,
                minimumAmount: paid.expectedAmount,
                expectedAmount: paid.minimumAmount
              }))
            }
          },
          ...first === undefined ? [] : [
            { ...each, inputs: [{ ...first, refunds: [] }, ...each.inputs.slice(1)] },
            {
              ...each,
              inputs: [
                { ...first, payment: { ...first.payment, amount: more(first.payment.amount) } },
                ...each.inputs.slice(1)
              ]
            },
            { ...each, inputs: [first, ...each.inputs] }
          ]
        ]
        const texts = new Set(variants.map((variant) => JSON.stringify(encode(variant))))
        const ids = new Set(variants.map((variant) => Result.getOrThrow(orderId(variant, anyFamilyOf))))
        assert.strictEqual(ids.size, texts.size)
      }),
      { numRuns: inputs(300, 20_000) }
    )
  })
})
