/** Answers of the status endpoint: read once for a version, never older than the store, and bounded. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { transferOf } from "../../../../src/domain/permit/testing/PermitTransfers.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import type { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { makeStatusAnswers } from "./StatusAnswers.ts"

const requestOf = (n: number) => RequestId.make(`0x${n.toString(16).padStart(64, "0")}`)

/** A store whose requests all are in one state. `meanwhile` runs when a request has been read. */
const storeOf = () => {
  const store = { updatedAt: 1, padding: "", reads: 0, meanwhile: () => {} }
  const unused = () => Effect.die("not used")
  const statuses: Statuses["Service"] = {
    find: () =>
      Effect.sync(() => {
        store.reads += 1
        const { updatedAt } = store
        store.meanwhile()
        return {
          transfer: transferOf({}, { updatedAt }),
          deposits: [],
          payments: [],
          refunds: [],
          settlements: [],
          send: undefined,
          feeSponsorship: undefined,
          appFees: []
        }
      }),
    version: (id) => Effect.sync(() => id === requestOf(0) ? undefined : `${store.updatedAt}${store.padding}`),
    findByOrder: unused,
    findByTransaction: unused,
    findHistory: unused,
    findByDepositAddress: unused,
    describe: unused,
    lastChanges: unused,
    changesAfter: unused
  }
  const answers = makeStatusAnswers(statuses)
  const find = (id: RequestId) =>
    Effect.map(answers.find(id), ({ body }) => body._tag === "Uint8Array" ? body.text ?? "" : "")
  const updatedAtOf = (n: number) =>
    Effect.map(find(requestOf(n)), (text) => (JSON.parse(text) as { readonly updatedAt?: number }).updatedAt)
  return { store, find, updatedAtOf }
}

it.effect("reads a request once while it stays the same, and again when it has changed", () =>
  Effect.gen(function*() {
    const { store, updatedAtOf } = storeOf()
    for (const _ of [1, 2, 3]) assert.strictEqual(yield* updatedAtOf(1), 1)
    assert.strictEqual(store.reads, 1)
    store.updatedAt = 2
    for (const _ of [1, 2, 3]) assert.strictEqual(yield* updatedAtOf(1), 2)
    assert.strictEqual(store.reads, 2)
    assert.strictEqual(yield* updatedAtOf(2), 2)
    assert.strictEqual(store.reads, 3, "another request")
  }))

it.effect("does not keep an answer during whose reading the request changed", () =>
  Effect.gen(function*() {
    const { store, updatedAtOf } = storeOf()
    store.meanwhile = () => {
      store.updatedAt = 2
    }
    assert.strictEqual(yield* updatedAtOf(1), 1)
    // Back in the state whose version was read first: the answer was of another reading.
    store.meanwhile = () => {}
    store.updatedAt = 1
    yield* updatedAtOf(1)
    assert.strictEqual(store.reads, 2)
  }))

it.effect("answers `unknown` for an id that does not exist, without reading it", () =>
  Effect.gen(function*() {
    const { find, store } = storeOf()
    assert.include(yield* find(requestOf(0)), `"status":"unknown"`)
    assert.strictEqual(store.reads, 0)
  }))

it.effect("keeps neither long versions nor more than some thousand requests", () =>
  Effect.gen(function*() {
    const { store, updatedAtOf } = storeOf()
    for (let n = 1; n <= 4_097; n += 1) yield* updatedAtOf(n)
    store.reads = 0
    yield* updatedAtOf(4_097)
    yield* updatedAtOf(2)
    assert.strictEqual(store.reads, 0)
    yield* updatedAtOf(1)
    assert.strictEqual(store.reads, 1, "the oldest was forgotten")
    store.padding = " ".repeat(10_000)
    yield* updatedAtOf(3)
    yield* updatedAtOf(3)
    assert.strictEqual(store.reads, 3)
  }))
