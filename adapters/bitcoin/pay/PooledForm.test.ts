/** Which form of a payment a pool has, and what asking for it costs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RpcAnswer, RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { readPooled } from "./PooledForm.ts"

const output = { script: new Uint8Array([0x6a]), amount: 1_000n }

/** The `nth` form, with one output of change. */
const form = (nth: number): PaymentForm => ({
  id: nth.toString(16).padStart(64, "0"),
  inputs: [],
  outputs: [output, output, output],
  amounts: [],
  bytes: new Uint8Array()
})
const forms = (count: number) => Array.from({ length: count }, (_, nth) => form(nth))

/** A node whose pool has one form, if any. Counts requests. */
const nodeWith = (pooled: PaymentForm | undefined) => {
  const requests: Array<number> = []
  const answer = ({ method, params }: RpcCall, at: number): RpcAnswer => {
    if (method === "gettxout") return { id: at + 1, result: null }
    return params[0] === pooled?.id
      ? { id: at + 1, result: { vsize: 141, descendantsize: 282, fees: { base: 0.000_002, descendant: 0.000_005 } } }
      : { id: at + 1, error: { code: -5, message: "Transaction not in mempool" } }
  }
  const rpc = {
    answers: (calls: ReadonlyArray<RpcCall>) =>
      Effect.sync(() => {
        requests.push(calls.length)
        return calls.map(answer)
      })
  }
  return { rpc, requests }
}

describe("the form of a payment that a pool has", () => {
  it.effect("is found by one request for all forms, and another one for its change", () =>
    Effect.gen(function*() {
      for (const nth of [0, 3, 9]) {
        const { requests, rpc } = nodeWith(form(nth))
        assert.deepStrictEqual(yield* readPooled(rpc, forms(10), 1_000), {
          fees: { own: { fee: 200n, virtualBytes: 141 }, withChildren: { fee: 500n, virtualBytes: 282 } },
          isSpent: true
        })
        assert.deepStrictEqual(requests, [10, 1])
      }
    }))

  it.effect("is none where the pool has none, also of many forms, fifty a request", () =>
    Effect.gen(function*() {
      const { requests, rpc } = nodeWith(undefined)
      assert.isUndefined(yield* readPooled(rpc, forms(120), 1_000))
      assert.deepStrictEqual(requests, [50, 50, 20])
    }))

  it.effect("is found although it is the oldest of many", () =>
    Effect.gen(function*() {
      const { requests, rpc } = nodeWith(form(0))
      assert.isDefined(yield* readPooled(rpc, forms(60), 1_000))
      assert.deepStrictEqual(requests, [50, 10, 1])
    }))
})
