/** The port `DirectPayments` in memory. A row is added with its transfer (`Transfers.ts`). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import type { SeenDirectPayment } from "../../../ports/store/orders/DirectPayments.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"

/** Begins the scan of a chain for its users' own payments, unless it has begun. */
export const beginScan = ({ directCursors }: Tables, chainId: ChainId, { hash, height }: Cursor): void => {
  if (!directCursors.has(String(chainId))) directCursors.add(String(chainId), { height, hash })
}

const see = ({ directPayments }: Tables, { block, orderId, transactionId }: SeenDirectPayment): void => {
  const seen = { orderId, transactionId, block }
  directPayments.change(orderId, (row) => row.state === "awaited" ? { ...row, state: "seen", seen } : row)
}

export const layer = Layer.effect(
  DirectPayments,
  Effect.map(MemoryStore, ({ call }) =>
    DirectPayments.of({
      anchor: (chainId, at) => call("DirectPayments.anchor", (tables) => beginScan(tables, chainId, at)),
      cursor: (chainId) => call("DirectPayments.cursor", ({ directCursors }) => directCursors.get(String(chainId))),
      record: (chainId, { hash, height }, seen) =>
        call("DirectPayments.record", (tables) => {
          for (const each of seen) see(tables, each)
          tables.directCursors.change(String(chainId), () => ({ height, hash }))
        }),
      note: (seen) => call("DirectPayments.note", (tables) => see(tables, seen)),
      rest: (chainId, since) =>
        call("DirectPayments.rest", ({ directCursors, directPayments }) => {
          const isNeeded = directPayments.all().some((row) =>
            row.chainId === chainId && (row.state === "seen" || (row.state === "awaited" && row.quotedAt >= since))
          )
          if (!isNeeded) directCursors.remove(String(chainId))
        }),
      unsettled: (chainId) =>
        call("DirectPayments.unsettled", ({ directPayments }) =>
          directPayments.all().filter((row) =>
            row.chainId === chainId && row.state === "seen"
          ).toSorted(
            ascending(({ quotedAt }) => quotedAt)
          ).flatMap(({ seen }) => seen ?? [])),
      settle: (orderId) =>
        call("DirectPayments.settle", ({ directPayments }) => {
          directPayments.change(orderId, (row) => row.state === "seen" ? { ...row, state: "settled" } : row)
        }),
      lose: (orderId) =>
        call("DirectPayments.lose", ({ directPayments }) => {
          directPayments.change(
            orderId,
            (row) => row.state === "seen" ? { ...row, state: "awaited", seen: undefined } : row
          )
        }),
      find: (orderId) => call("DirectPayments.find", ({ directPayments }) => directPayments.get(orderId)?.seen)
    }))
)
