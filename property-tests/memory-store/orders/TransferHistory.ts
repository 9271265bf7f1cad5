/** The port `TransferHistory` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MOST_SHOWN, TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import type { OrdersDeposit, RecordedPayment } from "../../../ports/store/orders/TransferHistory.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"
import type { DepositRow, PaymentRow, StoredPurpose } from "../rows/OrderRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

/** The most transfers that transactions are looked up to. */
const MOST_FOUND = 50

const firstSeen = ascending<DepositRow>(({ seenAt }) => seenAt, ({ deposit }) => deposit.onchainId)

const shownFirst = (one: DepositRow, other: DepositRow): number =>
  ascending<DepositRow>(({ state }) => state === "filled" ? 0 : 1)(one, other) ||
  descending<DepositRow>(({ precedence }) => precedence)(one, other) || firstSeen(one, other)

const standing = ({ depositsOfOrder }: Tables, orderId: OrderId): ReadonlyArray<DepositRow> =>
  depositsOfOrder(orderId).filter(({ state }) => state !== "gone")

/** The deposits to show. Anybody can name an order in thousands of deposits. */
const shown = (tables: Tables, orderId: OrderId): ReadonlyArray<DepositRow> =>
  standing(tables, orderId).toSorted(shownFirst).slice(0, MOST_SHOWN)

const toDeposits = ({ heldRefunds }: Tables, rows: ReadonlyArray<DepositRow>): ReadonlyArray<OrdersDeposit> =>
  rows.toSorted(firstSeen).map(({ deposit, state }) => ({
    deposit,
    state,
    isHeld: state === "unrefundable" && heldRefunds.has(deposit.onchainId)
  }))

const isPurpose = (leg: StoredPurpose): leg is PaymentPurpose => !leg.includes("!")

const toPayment = (row: PaymentRow): ReadonlyArray<RecordedPayment> => {
  const { amount, block = null, chainId, currency, deposit, deposited, gasPaid = null, leg, recipient, state } = row
  if (state === "void" || !isPurpose(leg)) return []
  const { transactionId } = row
  const known = deposited === undefined ? {} : { deposited }
  const paid = { leg, onchainId: deposit, chainId, transactionId, recipient, currency, amount, ...known }
  return [{ ...paid, state, block, gasPaid }]
}

const paymentsWhere = (
  { paymentsOfOrder }: Tables,
  orderId: OrderId,
  isWanted: (row: PaymentRow) => boolean
): ReadonlyArray<RecordedPayment> =>
  paymentsOfOrder(orderId).filter(isWanted).toSorted(ascending(({ signedAt }) => signedAt, ({ leg }) => leg)).flatMap(
    toPayment
  )

const ofTransactions = (tables: Tables, ids: ReadonlyArray<TransactionId>) => {
  const wanted = new Set<string>(ids)
  const orders = new Set([
    ...ids.flatMap((id) => tables.depositsByTransaction(id)).filter(({ state }) => state !== "gone").map((row) =>
      row.depositId
    ),
    ...ids.flatMap((id) => tables.variants.get(id) ?? []).flatMap(({ account, chainId, sequence }) =>
      tables.paymentsAt(keyOf(chainId, account, sequence))
    ).concat(ids.flatMap((id) => tables.paymentsAs(id))).filter(({ state }) => state !== "void").map(({ orderId }) =>
      orderId
    ),
    ...tables.directPayments.all().filter(({ seen }) => seen !== undefined && wanted.has(seen.transactionId)).map((
      { orderId }
    ) => orderId)
  ])
  return [...orders].flatMap((orderId) => tables.transferByOrder(orderId)).map(({ id }) => id).toSorted().slice(
    0,
    MOST_FOUND
  )
}

const lastEnded = ({ depositsIn, transferByOrder }: Tables, limit: number): ReadonlyArray<RequestId> => {
  const latest = new Map<RequestId, number>()
  for (const state of ["filled", "refunded"] as const) {
    const last = depositsIn(state).toSorted(ascending(({ seenAt }) => -seenAt, ({ deposit }) => deposit.onchainId))
    for (const { depositId, seenAt } of last.slice(0, MOST_SHOWN)) {
      for (const { id } of transferByOrder(depositId)) latest.set(id, Math.max(seenAt, latest.get(id) ?? 0))
    }
  }
  return [...latest].toSorted(ascending(([, seenAt]) => -seenAt, ([id]) => id)).slice(0, limit).map(([id]) => id)
}

const shownPayments = (tables: Tables, orderId: OrderId): ReadonlyArray<RecordedPayment> => {
  const deposits = new Set<string>(shown(tables, orderId).map(({ deposit }) => deposit.onchainId))
  return paymentsWhere(
    tables,
    orderId,
    ({ deposit, leg }) => leg === "fill" || leg === "fallback" || deposits.has(deposit)
  )
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? part.toString() : part)

const versionOf = (tables: Tables, id: RequestId): string | undefined => {
  const transfer = tables.transfers.get(id)
  if (transfer === undefined) return undefined
  const { failReason, orderId, status, updatedAt } = transfer
  const deposits = shown(tables, orderId)
  return textOf([
    [status, failReason, updatedAt],
    deposits.map(({ sighting }) => sighting),
    toDeposits(tables, deposits),
    shownPayments(tables, orderId),
    tables.directPayments.get(orderId)?.seen
  ])
}

export const layer = Layer.effect(
  TransferHistory,
  Effect.map(MemoryStore, ({ call }) =>
    TransferHistory.of({
      eventsAfter: (id, sequence) =>
        call("TransferHistory.eventsAfter", ({ events }) =>
          (events.get(id) ?? []).filter((event) => event.sequence > sequence)),
      lastChanges: (ids) =>
        call("TransferHistory.lastChanges", ({ events }) =>
          new Map(ids.flatMap((id): ReadonlyArray<readonly [RequestId, number]> => {
            const last = events.get(id)?.at(-1)
            return last === undefined ? [] : [[id, last.sequence]]
          }))),
      version: (id) =>
        call("TransferHistory.version", (tables) =>
          versionOf(tables, id)),
      deposits: (orderId) =>
        call("TransferHistory.deposits", (tables) =>
          toDeposits(tables, shown(tables, orderId))),
      goneDeposits: (orderId) =>
        call("TransferHistory.goneDeposits", ({ depositsOfOrder }) =>
          depositsOfOrder(orderId).filter(({ state }) =>
            state === "gone"
          )
            .toSorted(ascending(({ seenAt }) => -seenAt, ({ deposit }) => deposit.onchainId))
            .slice(0, MOST_SHOWN).map(({ deposit }) => deposit)),
      allDeposits: (orderId) =>
        call("TransferHistory.allDeposits", (tables) =>
          toDeposits(tables, standing(tables, orderId))),
      payments: (orderId) => call("TransferHistory.payments", (tables) => shownPayments(tables, orderId)),
      allPayments: (orderId) =>
        call("TransferHistory.allPayments", (tables) => paymentsWhere(tables, orderId, () => true)),
      paymentsOf: (orderId, legs) =>
        call("TransferHistory.paymentsOf", (tables) => {
          const wanted = new Set<string>(legs)
          return paymentsWhere(tables, orderId, ({ leg }) => wanted.has(leg))
        }),
      ofTransactions: (ids) => call("TransferHistory.ofTransactions", (tables) => ofTransactions(tables, ids)),
      lastEnded: (limit) => call("TransferHistory.lastEnded", (tables) => lastEnded(tables, limit))
    }))
)
