/**
 * Questions that share a request get what each of them would get alone, whatever the endpoint does with the requests
 * that they share.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { RpcAnswer, RpcCall } from "./JsonRpcPool.ts"
import { shareRequests } from "./SharedRequests.ts"
import type { SharedRequests } from "./SharedRequests.ts"

const MOST_CALLS = 25
const call = (item: number): RpcCall => ({ method: "item", params: [item] })
const itemOf = ({ params: [item] }: RpcCall): number => Number(item)

/** Every seventh item is one that the endpoint refuses. */
const answerTo = (item: number, id: number): RpcAnswer => item % 7 === 6 ? { id, error: item } : { id, result: item }

const answersTo = (calls: ReadonlyArray<RpcCall>) => calls.map((each, at) => answerTo(itemOf(each), at + 1))

/** What the endpoint does with a request of several questions. */
type Behaviour = "answers" | "fails" | "is silent" | "refuses all" | "answers too few"

interface Endpoint {
  readonly requests: Array<ReadonlyArray<number>>
  /** Requests that wait for an answer that never comes. */
  hanging: number
  readonly sharing: SharedRequests
}

/** Requests whose calls are not one of `alone` behave as `behaviour` says. */
const startEndpoint = (behaviour: Behaviour, alone: ReadonlyArray<ReadonlyArray<number>>): Endpoint => {
  const own = new Set(alone.map((items) => items.join()))
  const endpoint = {
    requests: new Array<ReadonlyArray<number>>(),
    hanging: 0,
    sharing: shareRequests((calls, signal) => {
      const items = calls.map(itemOf)
      endpoint.requests.push(items)
      if (own.has(items.join()) || behaviour === "answers") return Promise.resolve(answersTo(calls))
      if (behaviour === "fails") return Promise.reject(new Error("too long"))
      if (behaviour === "refuses all") return Promise.resolve(calls.map((_, at) => ({ id: at + 1, error: "limit" })))
      if (behaviour === "answers too few") return Promise.resolve(answersTo(calls).slice(0, 1))
      endpoint.hanging += 1
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          endpoint.hanging -= 1
          reject(new Error("aborted"))
        })
      })
    }, { patienceMs: 1 })
  }
  return endpoint
}

const ask = ({ sharing }: Endpoint, items: ReadonlyArray<number>) =>
  new Promise<ReadonlyArray<unknown>>((resolve, reject) => {
    sharing.ask(items.map(call), (outcome) => {
      if (Result.isFailure(outcome)) reject(new Error("failed", { cause: outcome.failure }))
      else {resolve(outcome.success.map(({ error, result }) =>
          error === undefined ? result : `refused ${JSON.stringify(error)}`
        ))}
    })
  })

const alone = (items: ReadonlyArray<number>) =>
  answersTo(items.map(call)).map(({ error, result }) =>
    error === undefined ? result : `refused ${JSON.stringify(error)}`
  )

/** Until nothing that was asked for is pending: all of it is in microtasks, immediates and timers of 1 ms. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const question = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 })
const behaviours: ReadonlyArray<Behaviour> = ["answers", "fails", "is silent", "refuses all", "answers too few"]

describe("questions that share a request (QUORUM-12)", () => {
  it("are answered as each would be alone, and leave no request behind", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(question, { maxLength: 20 }),
        fc.constantFrom(...behaviours),
        async (all, behaviour) => {
          const endpoint = startEndpoint(behaviour, all)
          const answers = await Promise.all(all.map((items) => ask(endpoint, items)))
          assert.deepStrictEqual(answers, all.map(alone))
          await until(() => endpoint.hanging === 0)
          assert.isTrue(endpoint.requests.every((items) => items.length <= MOST_CALLS))
        }
      ),
      { numRuns: inputs(200, 5_000) }
    ))

  it("ask equal calls once, and again in the next turn", async () => {
    const endpoint = startEndpoint("answers", [])
    const wave = () => Promise.all([ask(endpoint, [0, 1]), ask(endpoint, [0, 2]), ask(endpoint, [2])])
    assert.deepStrictEqual(await wave(), [[0, 1], [0, 2], [2]])
    await wave()
    assert.deepStrictEqual(endpoint.requests, [[0, 1, 2], [0, 1, 2]])
  })

  it("are asked alone after a shared request failed, and one that is asked alone anyway is no failure", async () => {
    const endpoint = startEndpoint("fails", [[1], [2]])
    assert.deepStrictEqual(await Promise.all([ask(endpoint, [1]), ask(endpoint, [2])]), [[1], [2]])
    assert.deepStrictEqual(await Promise.all([ask(endpoint, [1]), ask(endpoint, [2])]), [[1], [2]])
    assert.deepStrictEqual(endpoint.requests, [[1, 2], [1], [2], [1], [2]])
  })

  it("fail when they fail alone", async () => {
    const endpoint = startEndpoint("fails", [[1]])
    const outcomes = await Promise.allSettled([ask(endpoint, [1]), ask(endpoint, [2])])
    assert.deepStrictEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected"])
  })

  it("cancel their request when no caller waits for any of them", async () => {
    const endpoint = startEndpoint("is silent", [])
    const told: Array<unknown> = []
    const leave = [1, 2].map((item) => endpoint.sharing.ask([call(item)], (outcome) => told.push(outcome)))
    await until(() => endpoint.hanging > 0)
    for (const each of leave) each()
    await until(() => endpoint.hanging === 0)
    assert.deepStrictEqual(told, [])
  })
})
