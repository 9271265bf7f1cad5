/** The port `PermitSubmissions` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PermitSubmissions, REVERTED_PERMITS_WINDOW_MS } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { NewPermitSubmission, PermitSubmission, Queued } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"
import type { PermitRow } from "../rows/OrderRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { isInFlight } from "./payments/QueuedWork.ts"

const toSubmission = (row: PermitRow): PermitSubmission => ({
  id: row.id,
  orderId: row.orderId,
  number: row.number,
  chainId: row.chainId,
  signature: row.signature,
  state: row.state,
  round: row.round,
  queuedAt: row.queuedAt
})

const queuedAgain = (row: PermitRow): PermitRow => ({
  ...row,
  state: "queued",
  endedAt: undefined,
  round: row.round + 1
})

/** The cost of submissions that reverted in the last 24 hours, and the possible cost of queued ones. */
const atRisk = ({ permits }: Tables, chainId: ChainId, at: number): bigint =>
  permits.all().filter((row) =>
    row.chainId === chainId && (row.state === "queued" ||
      (row.state === "void" && row.spentMicros !== undefined && row.endedAt !== undefined &&
        row.endedAt > at - REVERTED_PERMITS_WINDOW_MS))
  ).reduce((sum, { reservedMicros, spentMicros = reservedMicros }) => sum + spentMicros, 0n)

const queue = (tables: Tables, submission: NewPermitSubmission, cap: bigint): Queued => {
  const { chainId, id, number, orderId, owner, queuedAt, reservedMicros, signature } = submission
  const others = tables.permitsOfOrder(orderId)
  if (tables.permits.has(id) || others.some(({ state }) => state !== "void")) return "again"
  if (atRisk(tables, chainId, queuedAt) + reservedMicros > cap) return "capped"
  const isBusy = others.some((row) => row.number === number) ||
    tables.permitsIn("queued").some((row) => row.chainId === chainId && row.owner === owner && row.round === 0)
  if (isBusy) return "busy"
  tables.permits.add(id, {
    id,
    orderId,
    number,
    chainId,
    signature,
    owner,
    reservedMicros,
    queuedAt,
    state: "queued",
    round: 0,
    spentMicros: undefined,
    endedAt: undefined
  })
  return "queued"
}

/** All variants of a submission's payment share one row, so it does not matter which one was mined. */
const gasPaid = (tables: Tables, orderId: OrderId, transactionId: TransactionId): bigint | "unknown" | undefined => {
  const variant = tables.variants.get(transactionId)
  if (variant === undefined) return undefined
  const { account, chainId, sequence } = variant
  const [payment] = tables.paymentsAt(keyOf(chainId, account, sequence))
  const isOurs = payment?.leg === "permit" && tables.permits.get(payment.orderId)?.orderId === orderId
  return isOurs ? payment.gasPaid ?? "unknown" : undefined
}

export const layer = Layer.effect(
  PermitSubmissions,
  Effect.map(MemoryStore, ({ call }) =>
    PermitSubmissions.of({
      newest: (orderId) =>
        call("PermitSubmissions.newest", ({ permitsOfOrder }) => {
          const [row] = permitsOfOrder(orderId).toSorted(descending(({ number }) => number))
          return row === undefined ? undefined : toSubmission(row)
        }),
      queue: (submission, cap) => call("PermitSubmissions.queue", (tables) => queue(tables, submission, cap)),
      reverted: (orderId) =>
        call("PermitSubmissions.reverted", ({ permitsOfOrder }) =>
          permitsOfOrder(orderId).filter(({ spentMicros, state }) =>
            state === "void" && spentMicros !== undefined
          )
            .length),
      spend: (id, usdMicros) =>
        call("PermitSubmissions.spend", ({ permits }) => {
          permits.change(id, (row) => row.state === "queued" ? { ...row, spentMicros: usdMicros } : row)
        }),
      find: (id) =>
        call("PermitSubmissions.find", ({ permits }) => {
          const row = permits.get(id)
          return row === undefined ? undefined : toSubmission(row)
        }),
      open: call("PermitSubmissions.open", ({ permitsIn }) =>
        permitsIn("queued").toSorted(ascending(({ queuedAt }) =>
          queuedAt, ({ id }) =>
          id)).map(toSubmission)),
      unfinal: call("PermitSubmissions.unfinal", ({ permitsIn }) =>
        permitsIn("done").filter(({ endedAt }) =>
          endedAt === undefined
        )
          .toSorted(ascending(({ queuedAt }) =>
            queuedAt, ({ id }) => id)).map(toSubmission)),
      close: (id, round, state, at) =>
        call("PermitSubmissions.close", (tables) => {
          tables.permits.change(id, (row) => {
            if (row.state !== "queued" || row.round !== round) {
              return row
            }
            if (state === "void" && isInFlight(tables, "permit", id)) {
              return queuedAgain(row)
            }
            return { ...row, state, endedAt: state === "done" ? undefined : at }
          })
        }),
      recordFinal: (id, round, at) =>
        call("PermitSubmissions.recordFinal", ({ permits }) => {
          permits.change(
            id,
            (row) =>
              row.state === "done" && row.round === round ? { ...row, endedAt: row.endedAt ?? at } : row
          )
        }),
      fail: (id, round, at) =>
        call("PermitSubmissions.fail", (tables) => {
          tables.permits.change(id, (row) => {
            if (row.state !== "done" || row.round !== round) return row
            if (isInFlight(tables, "permit", id)) return queuedAgain(row)
            return { ...row, state: "void", endedAt: at, spentMicros: row.reservedMicros }
          })
        }),
      gasPaid: (orderId, transactionId) =>
        call("PermitSubmissions.gasPaid", (tables) => gasPaid(tables, orderId, transactionId)),
      reopen: (id) =>
        call("PermitSubmissions.reopen", ({ permits }) => {
          const row = permits.get(id)
          if (row?.state !== "done") {
            return false
          }
          permits.set(id, queuedAgain(row))
          return true
        })
    }))
)
