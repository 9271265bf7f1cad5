/**
 * A payment that was signed, and that a restored store has forgotten, is in a block or can never be in one when its
 * coins are used up, whatever one explorer and one node say (BITCOIN-16).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { FillPayment } from "../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { account } from "../testing/LocalBitcoin.ts"
import { startPayingBitcoin } from "../testing/PayingBitcoin.ts"

type Local = Effect.Success<ReturnType<typeof startPayingBitcoin>>

const onChain =
  (body: (local: Local) => Effect.Effect<void, unknown, SentTransactions | Treasury | Scope.Scope>, more = 0) => () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startPayingBitcoin(2, more)
      yield* local.mine(7)
      yield* Effect.provide(body(local), local.ports)
    }))

const AMOUNT = 1_000_000n

/** Signed, and on no node. */
const forgotten = Effect.fnUntraced(function*({ bitcoin, other }: Local) {
  const payment: FillPayment = {
    _tag: "Fill",
    chain: bitcoin,
    currency: bitcoin.native,
    recipient: account(other.address),
    amount: AMOUNT,
    orderId: OrderId.make(`0x${"7".padStart(64, "0")}`),
    topup: 0n,
    authorizations: [],
    calls: undefined
  }
  return yield* (yield* (yield* Treasury).prepare(payment)).sign(0n, [])
})

const positionOf = ({ bitcoin, own }: Local) =>
  Effect.flatMap(SentTransactions, ({ position }) => position(bitcoin, own, "quorum"))

/** As after a restore, until no earlier payment can appear any more. */
const useUpAll = Effect.fnUntraced(function*(local: Local) {
  const { bitcoin, mine, own } = local
  const { useUp } = yield* SentTransactions
  const { pendingSequence: fence } = yield* positionOf(local)
  for (let now = yield* positionOf(local); now.finalSequence < fence; now = yield* positionOf(local)) {
    for (let next = now.sequence; next < fence && next < now.sequence + 16n; next += 1n) {
      yield* useUp(bitcoin, own, next)
    }
    yield* mine()
  }
})

const received = ({ chain, other }: Local) =>
  chain.ledger.coinsOf(other.address).reduce((sum, { value }) => sum + value, 0n)

/** The lost payment is found somewhere after all. */
const assertDead = Effect.fnUntraced(function*(local: Local, lost: Effect.Success<ReturnType<typeof forgotten>>) {
  const sent = yield* Effect.result((yield* Treasury).broadcast(local.bitcoin, lost))
  yield* local.mine(7)
  assert.strictEqual(received(local), 0n, JSON.stringify(sent))
})

const hidingCoins = (result: unknown) =>
  typeof result === "object" && result !== null && "unspents" in result ? { ...result, unspents: [] } : result

describe("the coins of forgotten payments on Bitcoin", () => {
  it.live(
    "are used up although the explorer hides them",
    onChain(Effect.fnUntraced(function*(local) {
      const lost = yield* forgotten(local)
      yield* local.setExplorerFault({ kind: "lie", methods: ["/address"], tell: () => [] })
      yield* useUpAll(local)
      yield* assertDead(local, lost)
    }))
  )

  it.live(
    "are used up although one of three nodes hides them, and says that they are spent",
    onChain(
      Effect.fnUntraced(function*(local) {
        const lost = yield* forgotten(local)
        const [liar = assert.fail()] = local.nodes
        yield* liar.setFault({
          kind: "lie",
          methods: ["scantxoutset", "gettxout"],
          tell: (result, method) => method === "gettxout" ? null : hidingCoins(result)
        })
        yield* useUpAll(local)
        yield* assertDead(local, lost)
      }),
      2
    )
  )

  it.live(
    "are not final because a block spends them while a node is asked",
    onChain(Effect.fnUntraced(function*(local) {
      const { bitcoin, chain } = local
      const lost = yield* forgotten(local)
      const before = yield* positionOf(local)
      yield* (yield* Treasury).broadcast(bitcoin, lost)
      let isMined = false
      yield* local.setFault({
        kind: "lie",
        methods: ["gettxout"],
        tell: async (result) => {
          if (isMined) return result
          isMined = true
          await chain.mine(1)
          return null
        }
      })
      const { finalSequence } = yield* positionOf(local)
      assert.isTrue(isMined)
      assert.strictEqual(finalSequence, before.finalSequence)
    }))
  )

  it.live(
    "are not known at nodes that list no coins: nothing is said of them",
    onChain(Effect.fnUntraced(function*(local) {
      yield* local.setFault({ kind: "error", methods: ["scantxoutset"], code: -32601, message: "Method not found" })
      const failed = yield* Effect.flip(positionOf(local))
      assert.strictEqual(failed.kind, "refused")
      // A comparison needs none.
      const { position } = yield* SentTransactions
      assert.strictEqual((yield* position(local.bitcoin, local.own, "endpoint")).finalSequence, 0n)
    }))
  )
})
