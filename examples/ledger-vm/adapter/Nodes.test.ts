/** Nodes that are behind, belong to another ledger, or lie: their answers never become evidence. */
import { assert, describe, it } from "@effect/vitest"
import { ChainObserver, DepositWatcher } from "causeway-kit/ports"
import { type HttpJson, observedEndpoints } from "causeway-kit/adapters/quorum"
import { Effect, Layer, Redacted, Result } from "effect"
import { answer } from "../ledger/Answer.ts"
import type { LedgerState } from "../ledger/Ledger.ts"
import { startMemoryLedger } from "../node/MemoryLedger.ts"
import {
  chainOf,
  depository,
  holdingsOf,
  keyOf,
  listed,
  sendBy,
  solverSigner,
  terms,
  user
} from "../testing/Fixture.ts"
import { layer as layerObserver } from "./Observer.ts"
import { layer as layerPorts } from "./TransferPorts.ts"

/** A node that answers from a state chosen by the test. */
const nodeOf = (state: () => LedgerState, change: (said: unknown) => unknown = (said) => said): HttpJson => ({
  call: (asked) =>
    Effect.sync(() => {
      const { answer: { said, status } } = answer(state(), asked)
      return { status, said: change(said) }
    })
})

/** A deposit in a block, and the ledger before it. */
const deposited = Effect.gen(function*() {
  const ledger = yield* startMemoryLedger({ terms, holdings: holdingsOf(user) })
  yield* ledger.mine()
  const before = ledger.state()
  const id = yield* sendBy(ledger.connection, keyOf(2), {
    ledger: ledger.genesisHash,
    recipient: depository,
    currency: listed[0].address,
    amount: 9n,
    fee: terms.fee,
    memo: ""
  })
  yield* ledger.mine(5)
  return { before, chain: chainOf(ledger.genesisHash), id, ledger }
})

/** Nodes in their order of preference, each a host of its own. */
const reached = (nodes: ReadonlyArray<HttpJson>) => ({
  urls: nodes.map((_, index) => Redacted.make(`http://127.0.0.1:${index + 1}/`)),
  connect: (url: Redacted.Redacted) =>
    Effect.succeed(nodes[Number(new URL(Redacted.value(url)).port) - 1] ?? assert.fail("no such node"))
})

const watching = (chain: ReturnType<typeof chainOf>, ...nodes: ReadonlyArray<HttpJson>) => {
  const { connect, urls } = reached(nodes)
  return Effect.flatMap(
    Layer.build(
      layerPorts(connect, { urls: new Map([[chain.id, urls]]) }, { solver: solverSigner, deposits: undefined })
    ),
    (context) => Effect.provide(DepositWatcher, context)
  )
}

const observing = (chain: ReturnType<typeof chainOf>, ...nodes: ReadonlyArray<HttpJson>) => {
  const { connect, urls } = reached(nodes)
  const of = new Map([[chain.id, Result.getOrThrow(observedEndpoints(urls))]])
  return Effect.flatMap(
    Layer.build(layerObserver(connect, { of })),
    (context) => Effect.provide(ChainObserver, context)
  )
}

describe("a node of the ledger", () => {
  it.effect("that is behind makes no deposit gone, and moves no cursor", () =>
    Effect.scoped(Effect.gen(function*() {
      const { before, chain, id, ledger } = yield* deposited
      const right = yield* watching(chain, ledger.connection)
      const [deposit = assert.fail("no deposit")] = (yield* right.look(chain, id)) ?? []
      const behind = yield* watching(chain, nodeOf(() => before))
      const told = yield* Effect.flip(behind.standing(chain, deposit, "endpoint"))
      assert.strictEqual(told.kind, "behind")
      const { height, hash } = yield* right.head(chain)
      const scan = yield* behind.scan(chain, { height, hash })
      assert.deepStrictEqual(scan.cursor, { height, hash })
    })))

  it.effect("that is preferred and alone in showing a deposit is not trusted, and is left out of single reads", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chain, id, ledger } = yield* deposited
      const honest = yield* startMemoryLedger({ terms, holdings: holdingsOf(user) })
      yield* honest.mine(8)
      const alone = yield* watching(chain, ledger.connection)
      const [deposit = assert.fail("no deposit")] = (yield* alone.look(chain, id)) ?? []
      // Nobody contradicts a single node.
      assert.deepInclude(yield* alone.standing(chain, deposit, "quorum"), { _tag: "Included", final: true })
      const watcher = yield* watching(chain, ledger.connection, honest.connection, honest.connection)
      assert.isDefined(yield* watcher.look(chain, id))
      assert.deepStrictEqual(yield* watcher.standing(chain, deposit, "endpoint"), { _tag: "Gone" })
      assert.isUndefined(yield* watcher.look(chain, id))
    })))

  it.effect("of another ledger is not asked any further", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chain, id } = yield* deposited
      const other = yield* startMemoryLedger({ terms: { ...terms, name: "another" }, holdings: [] })
      const watcher = yield* watching(chain, other.connection)
      assert.strictEqual((yield* Effect.flip(watcher.look(chain, id))).kind, "wrong-chain")
      const observer = yield* observing(chain, other.connection)
      assert.strictEqual((yield* Effect.flip(observer.observe(chain, [id])))._tag, "TooFewAnswers")
    })))

  it.effect("that shows another amount has no vote, because its id would differ", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chain, id, ledger } = yield* deposited
      const liar = nodeOf(
        ledger.state,
        (said) => JSON.parse(JSON.stringify(said).replace("\"amount\":\"9\"", "\"amount\":\"900\"")) as unknown
      )
      const [seen] = yield* (yield* observing(chain, ledger.connection, ledger.connection, liar)).observe(chain, [id])
      assert.strictEqual(seen?._tag === "Transaction" ? seen.deposits[0]?.amount : undefined, 9n)
      const alone = yield* observing(chain, liar)
      assert.strictEqual((yield* Effect.flip(alone.observe(chain, [id])))._tag, "TooFewAnswers")
    })))

  it.effect("with unreadable answers counts as silent, and proves no absence", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chain, id, ledger } = yield* deposited
      const broken = nodeOf(ledger.state, () => ({ error: "maintenance" }))
      const watcher = yield* watching(chain, broken)
      assert.strictEqual((yield* Effect.flip(watcher.look(chain, id)))._tag, "ChainUnavailable")
      assert.strictEqual(
        (yield* Effect.flip((yield* observing(chain, broken)).observe(chain, [id])))._tag,
        "TooFewAnswers"
      )
    })))
})
