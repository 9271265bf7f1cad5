/** A refund that failed in its block is made again only once it is final and failed, and by an operator (REFUND-10). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../../ports/chain/Treasury.ts"
import { UnattestedRefunds } from "../../../../ports/store/ledger/UnattestedRefunds.ts"
import { Pauses } from "../../../../ports/store/operations/Pauses.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { DepositState } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentState, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Settlements } from "../../../../ports/store/orders/Settlements.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { depositOf, transferOf, user } from "../../../domain/permit/testing/PermitTransfers.ts"
import { pauseId } from "../../../domain/pause/Pause.ts"
import type { PauseScope } from "../../../domain/pause/Pause.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { layer, Retrying } from "../../operations/Retrying.ts"

const transfer = transferOf()
const deposit = depositOf({ sender: user })
const transactionId = TransactionId.make(`0x${"3".repeat(64)}`)
const failed: PaymentOutcome = {
  _tag: "Included",
  transactionId,
  block: deposit.block,
  succeeded: false,
  gasPaid: 1n,
  final: true
}
const halt: PauseScope = { _tag: "Halt", chainId: alpha.id, height: 1n, expected: "0x1", found: "0x2" }

interface World {
  readonly state?: DepositState
  readonly refund?: PaymentState
  readonly shown?: PaymentOutcome | "unreachable"
  readonly isHalted?: boolean
}

/** What a retry did: whether the refund was set aside, and how many deposits were started again. */
const retried = ({ isHalted = false, refund = "reverted", shown = failed, state = "unrefundable" }: World) =>
  Effect.gen(function*() {
    const done: Array<string> = []
    const stored: StoredPayment = {
      orderId: transfer.orderId,
      leg: `refund:${deposit.onchainId}`,
      deposit: deposit.onchainId,
      chainId: alpha.id,
      account: user,
      sequence: 0n,
      currency: deposit.currency,
      amount: 1n,
      state: refund,
      transactionId,
      raw: "0x",
      variants: [{ transactionId, raw: "0x", signedAt: 0 }]
    }
    const ports = Layer.mergeAll(
      Layer.mock(Chains, { all: [alpha] }),
      Layer.mock(Treasury, {
        outcome: (chain, _variants, by) =>
          by === "endpoint"
            ? Effect.die("one endpoint proves nothing")
            : shown === "unreachable"
            ? Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "outcome", kind: "behind" }))
            : Effect.succeed(shown),
        replacing: () => undefined
      }),
      Layer.mock(Payments, {
        find: (_, leg) => Effect.succeed(leg === stored.leg ? stored : undefined),
        setAside: () => Effect.sync(() => void done.push("set aside"))
      }),
      Layer.mock(Pauses, {
        all: Effect.succeed(isHalted ? [{ id: pauseId(halt), scope: halt, reason: "", createdAt: 0 }] : [])
      }),
      Layer.mock(Deposits, {
        find: () => Effect.succeed({ deposit, sighting: 1 }),
        reopen: () =>
          Effect.sync(() => {
            done.push("reopened")
            return { deposit, sighting: 2 }
          }),
        sightAgain: () =>
          Effect.sync(() => {
            done.push("seen again")
            return { deposit, sighting: 2 }
          })
      }),
      Layer.mock(Transfers, { find: () => Effect.succeed(transfer) }),
      Layer.mock(TransferHistory, { allDeposits: () => Effect.succeed([{ deposit, state, isHeld: false }]) }),
      Layer.mock(Settlements, { retry: () => Effect.succeed(0) }),
      Layer.mock(UnattestedRefunds, {})
    )
    const answer = yield* Effect.flatMap(Retrying, ({ retry }) => retry(transfer.id)).pipe(
      Effect.provide(layer.pipe(Layer.provide(ports)))
    )
    return [...done, answer?.deposits] as const
  })

describe("the retry of a deposit that could not be refunded", () => {
  it.effect("sets its refund aside that is final and failed, and starts its filling after that", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* retried({}), ["set aside", "reopened", 1])
    }))

  it.effect("does neither while the refund may still be executed, or while the chain's word counts for nothing", () =>
    Effect.gen(function*() {
      const others: ReadonlyArray<World> = [
        { shown: { ...failed, final: false } },
        { shown: { ...failed, succeeded: true } },
        // A part of it has reached the recipient.
        { shown: { ...failed, deliveredPart: 1n } },
        { shown: { _tag: "Unseen" } },
        { shown: { _tag: "Pending" } },
        { shown: "unreachable" },
        { isHalted: true }
      ]
      for (const world of others) assert.deepStrictEqual(yield* retried(world), [0], JSON.stringify(Object.keys(world)))
    }))

  it.effect("leaves every other refund as it is, and that of a deposit whose filling has not ended", () =>
    Effect.gen(function*() {
      for (const refund of ["signed", "sent", "included"] as const) {
        assert.deepStrictEqual(yield* retried({ refund }), ["reopened", 1], refund)
      }
      assert.deepStrictEqual(yield* retried({ state: "open" }), ["seen again", 1])
      assert.deepStrictEqual(yield* retried({ state: "filled" }), [0])
    }))
})
