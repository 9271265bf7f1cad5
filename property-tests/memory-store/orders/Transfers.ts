/** The port `Transfers` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import { isUsersOwn } from "../../../src/domain/transfer/Transfer.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import { WriteRefused } from "../Table.ts"
import type { Tables } from "../Tables.ts"
import { keepAddress } from "./DepositAddresses.ts"
import { beginScan } from "./DirectPayments.ts"
import { moveTransfer } from "./StatusMoves.ts"

const add = (tables: Tables, transfer: Transfer, scanFrom: Cursor | undefined): void => {
  const { apiKeyId, id, orderId, quotedAt, status, failReason, terms, updatedAt } = transfer
  if (tables.transferByOrder(orderId).length > 0) throw new WriteRefused(`order ${orderId} has a transfer`)
  if (apiKeyId !== undefined && !tables.keys.has(apiKeyId)) throw new WriteRefused(`there is no key ${apiKeyId}`)
  tables.transfers.add(id, transfer)
  tables.events.add(id, [{ sequence: 0, status, failReason, at: updatedAt }])
  keepAddress(tables, transfer)
  if (scanFrom !== undefined) beginScan(tables, terms.originChainId, scanFrom)
  if (isUsersOwn(terms)) {
    tables.directPayments.add(orderId, {
      orderId,
      chainId: terms.originChainId,
      quotedAt,
      state: "awaited",
      seen: undefined
    })
  }
}

export const layer = Layer.effect(
  Transfers,
  Effect.map(MemoryStore, ({ call }) =>
    Transfers.of({
      add: (transfer, scanFrom) => call("Transfers.add", (tables) => add(tables, transfer, scanFrom)),
      find: (id) => call("Transfers.find", ({ transfers }) => transfers.get(id)),
      findByOrder: (orderId) => call("Transfers.findByOrder", ({ transferByOrder }) => transferByOrder(orderId)[0]),
      findByDeposit: (onchainId) =>
        call("Transfers.findByDeposit", ({ deposits, transferByOrder }) => {
          const row = deposits.get(onchainId)
          const [transfer] = row === undefined ? [] : transferByOrder(row.depositId)
          return row === undefined || transfer === undefined
            ? undefined
            : { deposit: row.deposit, sighting: row.sighting, transfer }
        }),
      known: (orderIds) =>
        call("Transfers.known", ({ transferByOrder }) =>
          new Map(
            orderIds.flatMap((orderId) => transferByOrder(orderId).map(({ terms }) => [orderId, terms] as const))
          )),
      move: (id, change) => call("Transfers.move", (tables) => moveTransfer(tables, id, change)),
      unended: (limit) =>
        call("Transfers.unended", ({ unendedTransfers }) =>
          unendedTransfers("unended").toSorted(ascending(({ updatedAt }) =>
            updatedAt
          )).slice(0, limit).map((
            { id, status, terms: { destinationChainId, originChainId }, updatedAt }
          ) => ({ id, status, since: updatedAt, originChainId, destinationChainId }))),
      unendedByStatus: call("Transfers.unendedByStatus", ({ unendedTransfers }) => {
        const counts = new Map<Status, number>()
        for (const { status } of unendedTransfers("unended")) counts.set(status, (counts.get(status) ?? 0) + 1)
        return counts
      })
    }))
)
