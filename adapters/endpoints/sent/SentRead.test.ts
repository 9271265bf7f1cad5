/** What the accounts have sent, with endpoints that hide, change or invent it, or are ahead of the chain (QUORUM-8). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { AccountPosition, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import type { EndpointFamily } from "../AskEndpoint.ts"
import { readHeads } from "../ReadHeads.ts"
import { makeRotation } from "../Rotation.ts"
import type { Rotation } from "../Rotation.ts"
import { readPosition, sentBetween } from "./SentRead.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

/** An endpoint: what it shows, and how far it has come. Without it, it is silent. */
interface Node {
  readonly sent: ReadonlyArray<SentTransaction>
  readonly at: number
}

const sentAt = (n: number, order = n): SentTransaction => ({
  account: Address.make("0x00000000000000000000000000000000000000f1"),
  transactionId: TransactionId.make(word(n)),
  raw: `raw ${n}`,
  sequence: BigInt(n),
  block: { height: BigInt(n), hash: word(100 + n), time: n },
  succeeded: true,
  gasPaid: 1n,
  payment: {
    orderId: OrderId.make(word(1000 + order)),
    recipient: Address.make("0x00000000000000000000000000000000000000b1"),
    currency: alpha.native.address,
    amount: 5n
  },
  movesNothing: false
})

const honest: Node = { sent: [sentAt(1), sentAt(2), sentAt(3)], at: 10 }

const over = <A, E>(
  nodes: ReadonlyArray<Node | undefined>,
  read: (rpc: Rotation<Node | undefined>) => Effect.Effect<A, E>
) => {
  const family: EndpointFamily<Node | undefined> = {
    open: (url) => Effect.succeed(nodes[Number(new URL(Redacted.value(url)).hostname.slice(5).split(".")[0])]),
    isOn: () => Promise.resolve(true),
    faultOf: () => "refused"
  }
  const urls = nodes.map((_, index) => Redacted.make(`http://node-${index}.example`))
  return Effect.scoped(
    Effect.flatMap(makeRotation(family, { urls: new Map([[alpha.id, urls]]) }), read)
  )
}

const shownBy = async (node: Node | undefined): Promise<Node> => node ?? Promise.reject(new Error("silent"))

const between = (by: "endpoint" | "quorum", ...nodes: ReadonlyArray<Node | undefined>) =>
  over(nodes, (rpc) =>
    sentBetween(rpc, alpha, by, {
      range: [1n, 3n],
      list: async (node) => (await shownBy(node)).sent,
      find: async (node, id) => (await shownBy(node)).sent.find(({ transactionId }) => transactionId === id)
    })).pipe(
      Effect.map((found) =>
        found.map(({ block, payment, sequence }) => `${sequence} in ${block.height} for ${payment?.orderId.slice(-3)}`)
      )
    )

const truth = ["1 in 1 for 3e9", "2 in 2 for 3ea", "3 in 3 for 3eb"]

/** One lie of each kind. */
const lies: Readonly<Record<string, Node>> = {
  hides: { ...honest, sent: [sentAt(1), sentAt(3)] },
  changes: { ...honest, sent: [sentAt(1), sentAt(2, 9), sentAt(3)] },
  invents: { ...honest, sent: [...honest.sent, { ...sentAt(4), block: sentAt(3).block }] },
  "moves it out of the range": {
    ...honest,
    sent: [sentAt(1), { ...sentAt(2), block: sentAt(9).block }, sentAt(3)]
  }
}

describe("what the accounts have sent", () => {
  for (const [lie, liar] of Object.entries(lies)) {
    it.effect(`is what the quorum shows, wherever one of three endpoints ${lie}`, () =>
      Effect.gen(function*() {
        assert.notDeepEqual(yield* between("endpoint", liar, honest, honest), truth)
        for (const nodes of [[liar, honest, honest], [honest, liar, honest], [honest, honest, liar]] as const) {
          assert.deepStrictEqual(yield* between("quorum", ...nodes), truth)
        }
      }))
  }

  it.effect("is not known while too few answer, or while they contradict each other", () =>
    Effect.gen(function*() {
      const { hides, changes } = lies
      for (const nodes of [[honest, undefined, undefined], [changes, honest, undefined], [hides, honest, undefined]]) {
        assert.strictEqual((yield* Effect.flip(between("quorum", ...nodes)))._tag, "ChainUnavailable")
      }
      assert.deepStrictEqual(yield* between("quorum", undefined, honest, honest), truth)
    }))

  it.effect("is one endpoint's word where a single host decides", () =>
    Effect.map(between("quorum", honest), (found) => assert.deepStrictEqual(found, truth)))
})

describe("how far an account and its chain have come", () => {
  const positionOf = (at: number): AccountPosition => ({
    counted: true,
    height: BigInt(at),
    sequence: BigInt(at),
    pendingSequence: BigInt(at + 1),
    finalHeight: BigInt(at - 5),
    finalSequence: BigInt(at - 5)
  })

  const position = (...nodes: ReadonlyArray<Node | undefined>) =>
    over(
      nodes,
      (rpc) => readPosition(rpc, alpha, "quorum", async (node) => positionOf((await shownBy(node)).at))
    )

  const heads = (...nodes: ReadonlyArray<Node | undefined>) =>
    over(nodes, (rpc) =>
      readHeads(rpc, alpha, "quorum", async (node) => {
        const { at } = await shownBy(node)
        return { height: BigInt(at), hash: `0x${at}`, finalHeight: BigInt(at - 5) }
      }))

  it.effect("is as far as enough endpoints are: not as one says that is ahead of them, nor as one that is behind", () =>
    Effect.gen(function*() {
      const [ahead, behind] = [{ ...honest, at: 1_000 }, { ...honest, at: 6 }]
      for (const odd of [ahead, behind]) {
        for (const nodes of [[odd, honest, honest], [honest, odd, honest], [honest, honest, odd]] as const) {
          const { finalHeight, ...reached } = yield* position(...nodes)
          assert.deepStrictEqual({ ...reached, finalHeight: 5n }, positionOf(10))
          // Read up to the head, because any of them may be the honest one that has come so far.
          assert.strictEqual(finalHeight, odd === ahead ? 10n : 5n)
          assert.deepStrictEqual(yield* heads(...nodes), { height: 10n, hash: "0x10", finalHeight: 5n })
        }
      }
      assert.deepStrictEqual(yield* position(ahead, undefined, honest), { ...positionOf(10), finalHeight: 10n })
      assert.strictEqual((yield* Effect.flip(position(ahead, undefined, undefined)))._tag, "ChainUnavailable")
    }))

  it.effect("has its payments in blocks up to the final height, though another says that it ends earlier", () =>
    Effect.gen(function*() {
      const [fast, slow] = [{ ...honest, at: 12 }, { ...honest, at: 10 }]
      // It agrees with the fast one about the sequence, and hides its newest final blocks.
      const liar: Node = { ...honest, at: 0 }
      const of = async (node: Node | undefined): Promise<AccountPosition> =>
        node === liar
          ? { ...positionOf(12), height: 10n, finalHeight: 0n }
          : positionOf((await shownBy(node)).at)
      for (const nodes of [[liar, fast, slow], [fast, slow, liar], [slow, liar, fast]]) {
        const { finalHeight, finalSequence } = yield* over(nodes, (rpc) => readPosition(rpc, alpha, "quorum", of))
        assert.strictEqual(finalSequence, 7n)
        assert.strictEqual(finalHeight, 7n)
      }
    }))
})
