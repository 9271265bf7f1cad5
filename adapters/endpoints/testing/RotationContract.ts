/**
 * The contract of the endpoint rotation. Each family runs it with its own client. The nodes are servers on the
 * loopback. Families differ in how a node identifies its chain, and in the number that the tests read.
 */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Timer } from "../../quorum/rpc/Deadline.ts"
import { NodeIsBehind } from "../NodeIsBehind.ts"
import { makeRotation } from "../Rotation.ts"
import type { EndpointFamily } from "../AskEndpoint.ts"
import { startFakeNode } from "./FakeNode.ts"
import type { Behaviour, FakeNode } from "./FakeNode.ts"

export interface ContractFamily<Client> {
  readonly name: string
  readonly family: EndpointFamily<Client>
  readonly chain: Chain
  /** The method that identifies the chain, its answer on the right chain, and its answer on another chain. */
  readonly identity: { readonly method: string; readonly right: unknown; readonly wrong: unknown }
  /** A method that every node has, its answers, and the call that reads them as numbers. */
  readonly reading: {
    readonly method: string
    readonly answerOf: (value: number) => unknown
    readonly read: (client: Client) => Promise<number>
  }
}

/** Short where no answer is expected; long enough for slow machines where one is. */
/** Far above what an answer takes on a busy machine. */
const PATIENT = { requestMs: 600_000, endpointMs: 2_400_000 }

/** Where a node is silent, and the test waits for the deadline. */
const HASTY = { requestMs: 1_000, endpointMs: 4_000 }

const NOWHERE = 1

/** A timer whose time passes when a test says so. */
const manualTimer = () => {
  const waiting = new Map<() => void, number>()
  let now = 0
  return {
    timer: (run: () => void, milliseconds: number) => {
      waiting.set(run, now + milliseconds)
      return () => void waiting.delete(run)
    },
    pass: (milliseconds: number): void => {
      now += milliseconds
      for (const [run, at] of waiting) {
        if (at > now) continue
        waiting.delete(run)
        run()
      }
    }
  }
}

export const rotationContract = <Client>({ chain, family, identity, name, reading }: ContractFamily<Client>) => {
  const saying = (value: number, who: unknown = identity.right): Behaviour => ({
    _tag: "Answers",
    results: { [identity.method]: who, [reading.method]: reading.answerOf(value) }
  })

  const urlOf = (port: number) =>
    Redacted.make(`http://somebody:pass%2Fword@127.0.0.1:${port}/secret-path?key=secret-query`)
  const rotateWithin = (deadlines: typeof PATIENT, ...ports: ReadonlyArray<number>) =>
    makeRotation(family, { urls: new Map([[chain.id, ports.map(urlOf)]]) }, deadlines)
  const rotate = (...ports: ReadonlyArray<number>) => rotateWithin(PATIENT, ...ports)
  const readings = ({ asked }: FakeNode) => asked.filter((method) => method === reading.method).length
  const identities = ({ asked }: FakeNode) => asked.filter((method) => method === identity.method).length

  /** Two nodes and the rotation over them. The first is preferred. */
  const pair = Effect.fnUntraced(function*(one: Behaviour, other: Behaviour, deadlines: typeof PATIENT = PATIENT) {
    const first = yield* startFakeNode(one)
    const second = yield* startFakeNode(other)
    const { call } = yield* rotateWithin(deadlines, first.port, second.port)
    return { first, second, read: call(chain, "a reading", reading.read) }
  })

  const kindOf = (read: Effect.Effect<number, { readonly kind: string }>) =>
    Effect.map(Effect.result(read), (said) => Result.isFailure(said) ? said.failure.kind : `${said.success}`)

  describe(`endpoints in rotation, of ${name}`, () => {
    it.live("are asked in their order, for their chain once, over connections that are kept, with the URL's credentials", () =>
      Effect.scoped(Effect.gen(function*() {
        const { first, read, second } = yield* pair(saying(7), saying(8))
        for (const _ of [1, 2, 3, 4, 5]) assert.strictEqual(yield* read, 7)
        assert.deepStrictEqual([identities(first), readings(first), second.asked.length], [1, 5, 0])
        // A request may start just before the previous one has returned its connection.
        assert.isAtMost(first.connections(), 2)
        assert.deepStrictEqual([...new Set(first.authorizations)], [
          `Basic ${Buffer.from("somebody:pass/word").toString("base64")}`
        ])
      })))

    for (
      const [what, told] of [
        ["breaks its connections", { _tag: "Breaks" }],
        ["answers with a status", { _tag: "Status", status: 503 }],
        ["is silent", { _tag: "Silent" }],
        ["is on another chain", saying(9, identity.wrong)]
      ] as const
    ) {
      it.live(`are passed over when one ${what}, which then comes last`, () =>
        Effect.scoped(Effect.gen(function*() {
          const { first, read, second } = yield* pair(told, saying(8), told._tag === "Silent" ? HASTY : PATIENT)
          assert.strictEqual(yield* read, 8)
          const before = first.asked.length
          assert.isAbove(before, 0)
          assert.strictEqual(yield* read, 8)
          assert.deepStrictEqual([first.asked.length, readings(first), readings(second)], [before, 0, 2])
          // It comes last, but it is still used.
          first.behaves = saying(7)
          second.behaves = { _tag: "Breaks" }
          assert.strictEqual(yield* read, 7)
        })))
    }

    it.live("are passed over where nobody listens", () =>
      Effect.scoped(Effect.gen(function*() {
        const second = yield* startFakeNode(saying(8))
        const { call } = yield* rotate(NOWHERE, second.port)
        assert.strictEqual(yield* call(chain, "a reading", reading.read), 8)
      })))

    it.live("come first again with the next reading when one only refused, or was behind", () =>
      Effect.scoped(Effect.gen(function*() {
        const { first, read, second } = yield* pair({ _tag: "Refuses", message: "secret-text" }, saying(8))
        assert.strictEqual(yield* read, 8)
        first.behaves = saying(7)
        assert.strictEqual(yield* read, 7)
        const { call } = yield* rotate(first.port, second.port)
        const ahead = call(chain, "a reading", async (client) => {
          const value = await reading.read(client)
          if (value < 8) throw new NodeIsBehind()
          return value
        })
        assert.strictEqual(yield* ahead, 8)
        first.behaves = saying(9)
        assert.strictEqual(yield* ahead, 9)
      })))

    it.live("are asked for their chain again after a failure: whoever answers there after a restart may be another", () =>
      Effect.scoped(Effect.gen(function*() {
        const { first, read } = yield* pair(saying(7), { _tag: "Breaks" })
        assert.strictEqual(yield* read, 7)
        first.behaves = { _tag: "Breaks" }
        assert.strictEqual(yield* kindOf(read), "unreachable")
        first.behaves = saying(66, identity.wrong)
        const before = readings(first)
        assert.notStrictEqual(yield* kindOf(read), "66")
        assert.strictEqual(readings(first), before)
        first.behaves = saying(7)
        assert.strictEqual(yield* read, 7)
      })))

    it.live("have one of them answer the whole of a reading", () =>
      Effect.scoped(Effect.gen(function*() {
        const { first, second } = yield* pair(saying(7), saying(8))
        const { call } = yield* rotate(first.port, second.port)
        const both = yield* call(chain, "two readings", async (client) => {
          const one = await reading.read(client)
          if (readings(second) === 0) first.behaves = { _tag: "Breaks" }
          return [one, await reading.read(client)]
        })
        assert.deepStrictEqual(both, [8, 8])
      })))

    it.live("answer a reading in steps however long it is, each step within the deadline, and a given-up one ends", () =>
      Effect.scoped(Effect.gen(function*() {
        const node = yield* startFakeNode(saying(7))
        const { call } = yield* rotate(node.port)
        const { pass, timer } = manualTimer()
        /** Each step takes so long. Returns how many readings were made. */
        const inSteps = (count: number, milliseconds: number, isRenewing: boolean) =>
          call(chain, "a scan", async (client, { done }) => {
            for (let step = 0; step < count; step += 1) {
              await reading.read(client)
              pass(milliseconds)
              if (isRenewing) done()
            }
            return readings(node)
          }).pipe(Effect.provideService(Timer, timer))
        const deadline = PATIENT.endpointMs
        assert.strictEqual(yield* inSteps(20, deadline * 0.9, true), 20)
        assert.strictEqual(yield* kindOf(inSteps(20, deadline * 0.9, false)), "timeout")
        // Its work goes on: nothing tells it that nobody waits.
        yield* Effect.promise(() => expect.poll(() => readings(node), { timeout: 60_000 }).toBe(40))
        assert.strictEqual(yield* kindOf(inSteps(20, deadline * 1.1, true)), "timeout")
        assert.strictEqual(yield* call(chain, "a reading", reading.read), 7)
        assert.strictEqual(readings(node), 42)
      })))

    it.live("are tried again when none could be reached, and then say why they are not there", () =>
      Effect.scoped(Effect.gen(function*() {
        const { first, read, second } = yield* pair({ _tag: "Breaks" }, { _tag: "Status", status: 429 })
        assert.strictEqual(yield* kindOf(read), "unreachable")
        assert.deepStrictEqual([identities(first), identities(second)], [3, 3])
        for (const node of [first, second]) node.behaves = saying(66, identity.wrong)
        assert.strictEqual(yield* kindOf(read), "wrong-chain")
        for (const node of [first, second]) node.behaves = { _tag: "Refuses", message: "no" }
        const asked = [first.asked.length, second.asked.length]
        assert.strictEqual(yield* kindOf(read), "refused")
        // A request that a node refuses would be refused again.
        assert.deepStrictEqual([first, second].map(({ asked: { length } }, index) => length - (asked[index] ?? 0)), [
          1,
          1
        ])
        for (const node of [first, second]) node.behaves = { _tag: "Silent" }
        const hasty = yield* rotateWithin(HASTY, first.port, second.port)
        assert.strictEqual(yield* kindOf(hasty.call(chain, "a reading", reading.read)), "timeout")
        const { call } = yield* rotate()
        assert.strictEqual(yield* kindOf(call(chain, "a reading", reading.read)), "not-served")
      })))

    it.live("never say where they are or what they wrote, however they fail", () =>
      Effect.scoped(Effect.gen(function*() {
        const node = yield* startFakeNode({ _tag: "Breaks" })
        const { agreed, call } = yield* rotateWithin(HASTY, node.port)
        for (
          const told of [
            { _tag: "Breaks" },
            { _tag: "Status", status: 401 },
            { _tag: "Refuses", message: "secret-text" },
            { _tag: "Silent" },
            saying(1, identity.wrong)
          ] as const
        ) {
          node.behaves = told
          const reads = [
            call(chain, "a reading", reading.read),
            agreed(chain, "a reading", reading.read, ([first]) => first)
          ]
          for (const said of yield* Effect.all(reads.map(Effect.result), { concurrency: "unbounded" })) {
            if (Result.isSuccess(said)) return assert.fail(told._tag)
            const { failure } = said
            assert.notMatch(
              `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`,
              /secret|somebody|pass|127\.0\.0\.1:/,
              told._tag
            )
          }
        }
      })))

    it.live("are heard all at once where several must agree, and one that is silent is not waited for", () =>
      Effect.scoped(Effect.gen(function*() {
        const [one, silent] = [yield* startFakeNode(saying(7)), yield* startFakeNode({ _tag: "Silent" })]
        const urls = [Redacted.make(`http://127.0.0.1:${one.port}`), Redacted.make(`http://localhost:${silent.port}`)]
        const listed = { urls: new Map([[chain.id, urls]]), quorums: new Map([[chain.id, 1]]) }
        const { agreed } = yield* makeRotation(family, listed, { requestMs: 60_000, endpointMs: 60_000 })
        const heard = agreed(
          chain,
          "a reading",
          reading.read,
          (answers, needed) => answers.length >= needed ? answers : undefined
        )
        assert.deepStrictEqual(yield* heard, [7])
      })))
  })
}
