/** Moves of requests from state to state, with their events, their webhooks, and what is written beside them. */
import type { StatusChange } from "../../../ports/store/orders/Transfers.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { canMove } from "../../../src/domain/transfer/Status.ts"
import { tellUpdate } from "../clients/WebhookOutbox.ts"
import type { Tables } from "../Tables.ts"
import { clearReservations, reserve } from "./InventoryReservations.ts"

/** False when the status machine does not allow it. What is written beside a move is written in any case. */
export const moveTransfer = (tables: Tables, id: RequestId, change: StatusChange): boolean => {
  const { at, failReason = null, releases, reserves = [], to } = change
  for (const each of reserves) reserve(tables, each)
  if (releases !== undefined) clearReservations(tables, releases)
  const transfer = tables.transfers.get(id)
  if (transfer === undefined || !canMove(transfer.status, to)) return false
  const events = tables.events.get(id) ?? []
  const sequence = events.length
  tables.transfers.set(id, { ...transfer, status: to, failReason, updatedAt: at })
  tables.events.set(id, [...events, { sequence, status: to, failReason, at }])
  if (transfer.apiKeyId !== undefined) {
    tellUpdate(tables, { key: transfer.apiKeyId, request: id, sequence, status: to, failReason, at })
  }
  return true
}
