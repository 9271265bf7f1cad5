/** Webhook deliveries, written with the change that they report. Keys without webhooks add no rows. */
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import { balanceEventId, updateEventId } from "../../../src/domain/webhook/WebhookFact.ts"
import type { WebhookFact } from "../../../src/domain/webhook/WebhookFact.ts"
import type { WebhookRow } from "../rows/ClientRows.ts"
import type { Tables } from "../Tables.ts"

interface Update {
  readonly key: ApiKeyId
  readonly request: RequestId
  readonly sequence: number
  readonly status: Status
  readonly failReason: FailReason | null
  /** Milliseconds. */
  readonly at: number
}

interface Change {
  readonly movement: LedgerId
  readonly wallet: Address
  readonly before: bigint
  readonly after: bigint
  /** Milliseconds. */
  readonly at: number
}

const deliver = (
  { deliveries }: Tables,
  { key, webhook: { id: webhookId } }: WebhookRow,
  event: { readonly eventId: string; readonly queue: string; readonly sequence: number; readonly fact: WebhookFact },
  at: number
): void => {
  const id = `${webhookId}.${event.eventId}`
  deliveries.add(id, {
    ...event,
    id,
    key,
    webhookId,
    at,
    createdAt: at,
    dueAt: at,
    state: "pending",
    body: null,
    tries: [],
    leasedUntil: 0
  })
}

/** A request's status changed: one delivery for each webhook of its key. */
export const tellUpdate = (tables: Tables, { at, failReason, key, request, sequence, status }: Update): void => {
  if (tables.keys.get(key)?.revokedAt !== undefined) return
  for (const webhook of tables.webhooksOf(key)) {
    deliver(tables, webhook, {
      eventId: updateEventId(request, sequence),
      queue: request,
      sequence,
      fact: { _tag: "RequestUpdated", request, status, failReason }
    }, at)
  }
}

/** A wallet's available balance changed: one delivery for each webhook whose threshold it fell below. */
export const tellBalance = (tables: Tables, { after, at, before, movement, wallet }: Change): void => {
  if (after >= before) return
  for (const { key: { id }, revokedAt } of tables.keysOfWallet(wallet)) {
    if (revokedAt !== undefined) continue
    for (const row of tables.webhooksOf(id)) {
      const { lowBalance: threshold } = row.webhook
      if (threshold === undefined || threshold <= after || threshold > before) continue
      const sequence = row.balanceSequence + 1
      tables.webhooks.set(row.webhook.id, { ...row, balanceSequence: sequence })
      deliver(tables, row, {
        eventId: balanceEventId(movement),
        queue: "balance",
        sequence,
        fact: { _tag: "BalanceLow", wallet, available: MicroUsdc(after), threshold }
      }, at)
    }
  }
}
