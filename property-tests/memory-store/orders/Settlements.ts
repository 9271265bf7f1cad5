/** The port `Settlements` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { OpenSettlements, Overdue, RecordedSettlement } from "../../../ports/store/orders/Settlements.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { claim, conclude, nextDue } from "./settlements/ClaimedSettlements.ts"
import { openSettlement } from "./settlements/OpenSettlement.ts"
import { end, freeSlot, membersOf, reopen, submit, underWay, undone } from "./settlements/Submissions.ts"

/** Deposits that were closed without a settlement, as a worker of an earlier version does. */
const adopt = (tables: Tables, limit: number, at: number): number => {
  const closed = [...tables.depositsIn("filled"), ...tables.depositsIn("refunded")].filter(({ hasSettlement }) =>
    !hasSettlement
  ).toSorted(ascending(({ deposit }) => deposit.onchainId)).slice(0, limit)
  let opened = 0
  for (const row of closed) {
    const { onchainId } = row.deposit
    tables.deposits.set(onchainId, { ...row, hasSettlement: true })
    if (tables.settlements.has(onchainId)) continue
    openSettlement(tables, row, at)
    opened += 1
  }
  return opened
}

const overdue = ({ settlementsIn }: Tables, after: number, upTo: number): Overdue | undefined => {
  const times = [...settlementsIn("open"), ...settlementsIn("submitted")].map(({ openedAt }) => openedAt).filter((at) =>
    at > after && at <= upTo
  ).toSorted((one, other) => one - other)
  const [oldest, newest] = [times[0], times.at(-1)]
  return oldest === undefined || newest === undefined ? undefined : { count: times.length, oldest, newest }
}

const retry = ({ settlements, settlementsOfOrder }: Tables, orderId: OrderId, at: number): number => {
  const refused = settlementsOfOrder(orderId).filter(({ state }) => state === "refused")
  for (const row of refused) {
    settlements.set(row.deposit, {
      ...row,
      state: "open",
      reason: null,
      attempts: 0,
      looksAlike: 0,
      failures: 0,
      dueAt: at,
      openedAt: at,
      leasedUntil: 0,
      endedAt: undefined
    })
  }
  return refused.length
}

const ofOrder = ({ payments, settlementsOfOrder }: Tables, orderId: OrderId): ReadonlyArray<RecordedSettlement> =>
  settlementsOfOrder(orderId).toSorted(ascending(({ createdAt }) => createdAt, ({ deposit }) => deposit)).map((
    { deposit, reason, state, submission }
  ) => ({
    deposit,
    state,
    reason,
    transactionId: (submission === undefined ? undefined : payments.get(keyOf(submission, "settlement")))
      ?.transactionId ?? null
  }))

const open = ({ settlementsIn }: Tables): ReadonlyArray<OpenSettlements> =>
  (["open", "refused", "submitted"] as const).flatMap((state) => {
    const times = settlementsIn(state).map(({ openedAt }) => openedAt)
    return times.length === 0 ? [] : [{ state, count: times.length, oldest: Math.min(...times) }]
  })

export const layer = Layer.effect(
  Settlements,
  Effect.map(MemoryStore, ({ attempt, call }) =>
    Settlements.of({
      claim: (...due) => call("Settlements.claim", (tables) => claim(tables, ...due)),
      nextDue: (until) => call("Settlements.nextDue", (tables) => nextDue(tables, until)),
      conclude: (...concluded) => call("Settlements.conclude", (tables) => conclude(tables, ...concluded)),
      submit: (submission, members) =>
        attempt("Settlements.submit", (tables) => submit(tables, submission, members)).pipe(
          Effect.catch((refused) => refused instanceof StoreUnavailable ? Effect.fail(refused) : Effect.succeed(false))
        ),
      hasRoom: (chainId) => call("Settlements.hasRoom", (tables) => freeSlot(tables, chainId) !== undefined),
      placed: (id, at) =>
        call("Settlements.placed", ({ submissions }) => {
          submissions.change(
            id,
            (row) => row.state === "open" && row.placedAt === undefined ? { ...row, placedAt: at } : row
          )
        }),
      underWay: call("Settlements.underWay", underWay),
      members: (id) =>
        call("Settlements.members", (tables) =>
          membersOf(tables, id).map(({ attempts, deposit, failures, orderId }) => ({
            deposit,
            orderId,
            attempts,
            failures
          }))),
      end: (...ended) => call("Settlements.end", (tables) => end(tables, ...ended)),
      toCheck: (now, limit) =>
        call("Settlements.toCheck", ({ settlementsIn }) =>
          settlementsIn("settled").flatMap(({ checkAt, deposit, endedAt, orderId, settledOn }) =>
            checkAt === undefined || endedAt === undefined || settledOn === undefined || checkAt > now
              ? []
              : [{ deposit, orderId, chainId: settledOn.chainId, gate: settledOn.gate, settledAt: endedAt, checkAt }]
          ).toSorted(ascending(({ checkAt }) =>
            checkAt, ({ deposit }) => deposit)).slice(0, limit)),
      checked: ({ checkAt, deposit }, next) =>
        call("Settlements.checked", ({ settlements }) => {
          // Conditional on what was read: one that was settled again meanwhile is looked at in its own time.
          settlements.change(
            deposit,
            (row) =>
              row.state === "settled" && row.checkAt === checkAt ? { ...row, checkAt: next } : row
          )
        }),
      undone: ({ deposit }, at) => call("Settlements.undone", (tables) => undone(tables, deposit, at)),
      reopen: (id, at) => call("Settlements.reopen", (tables) => reopen(tables, id, at)),
      adopt: (limit, at) => call("Settlements.adopt", (tables) => adopt(tables, limit, at)),
      overdue: (after, upTo) => call("Settlements.overdue", (tables) => overdue(tables, after, upTo)),
      retry: (orderId, at) => call("Settlements.retry", (tables) => retry(tables, orderId, at)),
      ofOrder: (orderId) => call("Settlements.ofOrder", (tables) => ofOrder(tables, orderId)),
      open: call("Settlements.open", open)
    }))
)
