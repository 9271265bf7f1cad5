/**
 * A payment that was signed, and that a restored store has forgotten, is in a block or can never be in one when its
 * coins are used up, whatever one explorer and one node say (BITCOIN-16).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { FillPayment } from "../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Claimant } from "../../../ports/chain/Treasury.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { account } from "../testing/LocalBitcoin.ts"
import { storedForm } from "./SignSpending.ts"
import { solver, startPayingBitcoin } from "../testing/PayingBitcoin.ts"

type Local = Effect.Success<ReturnType<typeof startPayingBitcoin>>

const onChain =
  (body: (local: Local) => Effect.Effect<void, unknown, SentTransactions | Treasury | Scope.Scope>, more = 0) => () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startPayingBitcoin(2, more)
      yield* local.mine(7)
      yield* Effect.provide(body(local), local.ports)
    }))

const AMOUNT = 1_000_000n

/** Signed beside these, and on no node. */
const forgotten = Effect.fnUntraced(function*(
  { bitcoin, other }: Local,
  beside: ReadonlyArray<Claimant> = [],
  amount: bigint = AMOUNT
) {
  const payment: FillPayment = {
    _tag: "Fill",
    chain: bitcoin,
    currency: bitcoin.native,
    recipient: account(other.address),
    amount,
    orderId: OrderId.make(`0x${(beside.length + 7).toString(16).padStart(64, "0")}`),
    topup: 0n,
    authorizations: [],
    calls: undefined
  }
  const { claims = [], ...signed } = yield* (yield* (yield* Treasury).prepare(payment)).sign(0n, beside)
  return { ...signed, claims }
})

const positionOf = ({ bitcoin, own }: Local) =>
  Effect.flatMap(SentTransactions, ({ position }) => position(bitcoin, own, "quorum"))

/** As after a restore, until no payment can appear any more that was signed below the fence. */
const useUpAll = Effect.fnUntraced(function*(local: Local, told?: bigint) {
  const { bitcoin, mine, own } = local
  const { useUp } = yield* SentTransactions
  const fence = told ?? (yield* positionOf(local)).pendingSequence
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
const assertDead = Effect.fnUntraced(
  function*(local: Local, lost: Effect.Success<ReturnType<typeof forgotten>>, paid = 0n) {
    const sent = yield* Effect.result((yield* Treasury).broadcast(local.bitcoin, lost))
    yield* local.mine(7)
    assert.strictEqual(received(local), paid, JSON.stringify(sent))
  }
)

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

  for (const when of ["meanwhile", "before a restart", "after a restart"] as const) {
    it.live(
      `are used up with the change of forgotten payments that blocks take ${when}`,
      onChain(Effect.fnUntraced(function*(local) {
        const { bitcoin, mine, ports } = local
        const { broadcast } = yield* Treasury
        const first = yield* forgotten(local)
        const second = yield* forgotten(local, [first])
        // All coins in blocks are claimed: this one spends the change of a payment that waits.
        const lost = yield* forgotten(local, [first, second])
        assert.lengthOf(storedForm(lost.raw).ancestors, 1)
        const send = Effect.forEach([first, second], (each) => broadcast(bitcoin, each))
        const { pendingSequence: fence } = yield* positionOf(local)
        if (when !== "after a restart") yield* send
        // Everything that was in a block, or is now, becomes final.
        if (when !== "meanwhile") yield* mine(8)
        const rest = Effect.gen(function*() {
          yield* positionOf(local)
          if (when === "after a restart") yield* Effect.andThen(send, mine(8))
          yield* useUpAll(local, fence)
        })
        yield* when === "meanwhile" ? rest : Effect.provide(rest, Layer.fresh(ports))
        assert.strictEqual(received(local), 2n * AMOUNT)
        yield* assertDead(local, lost, 2n * AMOUNT)
      }))
    )
  }

  it.live(
    "are used up although one of three nodes shows no coin as spent",
    onChain(
      Effect.fnUntraced(function*(local) {
        const [liar = assert.fail()] = local.nodes
        const shown = new Map<string, unknown>()
        yield* liar.setFault({
          kind: "lie",
          methods: ["gettxout"],
          tell: (result, _, params) => {
            const key = JSON.stringify(params)
            if (result !== null) shown.set(key, result)
            return shown.get(key) ?? null
          }
        })
        const lost = yield* forgotten(local)
        yield* useUpAll(local)
        yield* assertDead(local, lost)
      }),
      2
    )
  )

  it.live(
    "are used up with what a reorg puts into a later block",
    onChain(Effect.fnUntraced(function*(local) {
      const { chain, mine, reorg } = local
      // Larger than the others, so that the payment needs it.
      const { id } = yield* Effect.promise(() => chain.fund(solver.script, 50_000_000n))
      const paid = chain.ledger.transaction(id) ?? assert.fail("not paid")
      yield* mine()
      const lost = yield* forgotten(local, [], 30_000_000n)
      const { pendingSequence: fence } = yield* positionOf(local)
      yield* reorg(1, "dropped")
      // A node lists its coins while the coin is in no block.
      yield* positionOf(local)
      yield* mine()
      yield* Effect.promise(() => chain.submit(paid.toBuffer()))
      yield* mine()
      yield* useUpAll(local, fence)
      yield* assertDead(local, lost)
    }))
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
