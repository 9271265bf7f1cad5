/** What is kept of reorganisations past finality, on both engines: the last final block of a chain, and what was lost. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Deposits } from "../../ports/Deposits.ts"
import { FinalBlocks } from "../../ports/FinalBlocks.ts"
import { Losses } from "../../ports/Losses.ts"
import type { Loss } from "../../ports/Losses.ts"
import { Pauses } from "../../ports/Pauses.ts"
import { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../src/domain/chain/Hex.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { haltOf, pauseId } from "../../src/domain/pause/Pause.ts"
import type { PauseScope } from "../../src/domain/pause/Pause.ts"
import type { Deposit } from "../../src/domain/transfer/Deposit.ts"
import * as SqlDeposits from "./Deposits.ts"
import { layerMigrations } from "./engine/Migrations.ts"
import * as SqlFinalBlocks from "./FinalBlocks.ts"
import * as SqlLosses from "./Losses.ts"
import { migrations } from "./migrations/index.ts"
import * as SqlPauses from "./Pauses.ts"
import { describeEngines } from "./testing/engines.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)

const deposit = (n: number): Deposit => ({
  onchainId: Hex32.make(id(n)),
  chainId: alpha,
  transactionId: TransactionId.make(id(100 + n)),
  index: 0,
  block: { height: BigInt(n), hash: id(200 + n), time: 1_700_000_000 + n },
  depositId: Hex32.make(id(500)),
  depositor: user,
  sender: user,
  currency: native,
  amount: 2n ** 255n
})

const lossOf = ({ amount, chainId, currency, depositId, onchainId, transactionId }: Deposit, kind: Loss["kind"] = "deposit"): Loss =>
  ({ kind, chainId, orderId: OrderId.make(depositId), deposit: onchainId, transactionId, currency, amount })

describeEngines((_, engine) => {
  const repositories = Layer.mergeAll(SqlDeposits.layer, SqlFinalBlocks.layer, SqlLosses.layer, SqlPauses.layer).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )
  const test = <E>(name: string, effect: Effect.Effect<void, E, Deposits | FinalBlocks | Losses | Pauses>) =>
    it.live(name, () => effect.pipe(Effect.provide(repositories)))

  test("remembers the last final block of each chain until it is forgotten", Effect.gen(function*() {
    const finals = yield* FinalBlocks
    const block = (n: bigint) => ({ height: n, hash: `0x${n}` })
    yield* finals.remember(alpha, block(7n))
    yield* finals.remember(alpha, block(10n ** 17n))
    yield* finals.remember(beta, block(9n))
    assert.deepStrictEqual(yield* finals.find(alpha), block(10n ** 17n))
    yield* finals.forget(alpha)
    assert.isUndefined(yield* finals.find(alpha))
    assert.deepStrictEqual(yield* finals.find(beta), block(9n))
  }))

  test("books a loss once, opens its deposit again with it, and takes it back", Effect.gen(function*() {
    const deposits = yield* Deposits
    const losses = yield* Losses
    const [filled, refunded, foreign] = [deposit(1), deposit(2), deposit(3)] as const
    yield* deposits.note([filled], 10)
    yield* deposits.note([refunded], 20)
    yield* deposits.note([foreign], 30)
    yield* deposits.close(filled.onchainId, 1, "filled")
    yield* deposits.close(refunded.onchainId, 1, "refunded")
    yield* deposits.close(foreign.onchainId, 1, "foreign")
    assert.deepStrictEqual((yield* deposits.ended(alpha, 9)).map((one) => one.deposit.onchainId), [refunded.onchainId, filled.onchainId])
    assert.lengthOf(yield* deposits.ended(alpha, 1), 1)
    assert.deepStrictEqual(yield* deposits.ended(beta, 9), [])

    const booked = yield* Effect.forEach(Array.from({ length: 8 }), () => losses.book(lossOf(filled), 40).pipe(Effect.retry({ times: 50 })), { concurrency: "unbounded" })
    assert.strictEqual(booked.filter((one) => one).length, 1)
    assert.deepStrictEqual(yield* deposits.open, [{ deposit: filled, sighting: 2 }])
    // The payment that answered it is a loss of its own; the deposit is open already.
    assert.isTrue(yield* losses.book(lossOf(filled, "payment"), 50))
    assert.deepStrictEqual(yield* deposits.open, [{ deposit: filled, sighting: 2 }])
    yield* losses.recover(filled.onchainId, "deposit", 60)
    assert.deepStrictEqual((yield* losses.all).map(({ amount, kind, noticedAt, recoveredAt }) => [kind, amount, noticedAt, recoveredAt]), [
      ["payment", 2n ** 255n, 50, null],
      ["deposit", 2n ** 255n, 40, 60]
    ])
    // Lost again after it had come back: a loss again.
    yield* deposits.close(filled.onchainId, 2, "filled")
    assert.isTrue(yield* losses.book(lossOf(filled), 70))
    assert.deepStrictEqual(yield* deposits.open, [{ deposit: filled, sighting: 3 }])
    assert.strictEqual((yield* losses.all)[0]?.recoveredAt, null)
  }))

  test("keeps a halt beside an operator's pause of the same chain", Effect.gen(function*() {
    const pauses = yield* Pauses
    const halt: PauseScope = { _tag: "Halt", chainId: alpha, height: 10n ** 17n, expected: "0xaa", found: "0xbb" }
    const chain: PauseScope = { _tag: "Chain", chainId: alpha }
    for (const scope of [halt, chain]) yield* pauses.add({ id: pauseId(scope), scope, reason: "", createdAt: 5 })
    assert.deepStrictEqual(haltOf(yield* pauses.all, alpha)?.scope, halt)
    assert.isUndefined(haltOf(yield* pauses.all, beta))
    assert.isTrue(yield* pauses.remove(pauseId(halt)))
    assert.isUndefined(haltOf(yield* pauses.all, alpha))
    assert.lengthOf(yield* pauses.all, 1)
  }))
})
