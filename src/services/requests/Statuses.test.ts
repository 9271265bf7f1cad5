/** What is read of a request while it changes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import type { TransferEvent } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { transferOf } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha, chains } from "../../domain/quote/testing/Chains.ts"
import { buildTimeline } from "../../domain/timeline/BuildTimeline.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import { isTerminal } from "../../domain/transfer/Status.ts"
import { layer, Statuses } from "./Statuses.ts"

const path: ReadonlyArray<Status> = ["waiting", "depositing", "pending", "submitted", "success"]

/** A store in which the request moves on right after a statement: the one that is `nth`. */
const movingAfter = (nth: number) => {
  let statements = 0
  let moves = path.length - 1
  const read = <A>(answer: () => A) =>
    Effect.sync(() => {
      const answered = answer()
      statements += 1
      if (statements === nth) moves = path.length
      return answered
    })
  const eventOf = (status: Status, sequence: number): TransferEvent => ({
    sequence,
    status,
    failReason: null,
    at: sequence
  })
  const ports = Layer.mergeAll(
    Layer.mock(Transfers, {
      find: () => read(() => ({ ...transferOf(), status: path[moves - 1] ?? "waiting", updatedAt: moves - 1 }))
    }),
    Layer.mock(TransferHistory, {
      eventsAfter: () => read(() => path.slice(0, moves).map(eventOf)),
      deposits: () => read(() => []),
      payments: () => read(() => [])
    }),
    Layer.mock(Settlements, { ofOrder: () => read(() => []) }),
    Layer.mock(DirectPayments, {}),
    Layer.mock(SponsorHolds, {}),
    Layer.mock(DepositAddresses, {}),
    Layer.succeed(SettlementChain, { chain: alpha, token: alpha.native.address }),
    Layer.succeed(Chains, { all: chains })
  )
  return layer.pipe(Layer.provide(ports))
}

/** More than one reading of a request takes. */
const STATEMENTS = 8

describe("the history of a request", () => {
  it.effect("that ends between any two statements of its reading is shown completely ended or not ended", () =>
    Effect.gen(function*() {
      const ends = yield* Effect.forEach(
        Array.from({ length: STATEMENTS }, (_, nth) => nth),
        (nth) =>
          Effect.gen(function*() {
            const { findHistory } = yield* Statuses
            const known = yield* findHistory(transferOf().id)
            const { status, steps } = buildTimeline({ ...known ?? assert.fail("no request"), chains })
            const isDelivered = steps.some(({ kind }) => kind === "delivered")
            assert.strictEqual(isDelivered, isTerminal(status), `after statement ${nth}`)
            return isDelivered
          }).pipe(Effect.provide(movingAfter(nth)))
      )
      assert.include(ends, false)
      // Read again, it has ended.
      const again = yield* Effect.gen(function*() {
        const { findHistory } = yield* Statuses
        yield* findHistory(transferOf().id)
        return yield* findHistory(transferOf().id)
      }).pipe(Effect.provide(movingAfter(1)))
      assert.strictEqual(again?.transfer.status, "success")
    }))
})
