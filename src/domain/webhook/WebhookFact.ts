/** An event that a webhook reports. It is stored in the transaction in which it happened, and sent afterwards. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"
import { MicroUsdcFromString } from "../ledger/MicroUsdc.ts"
import type { LedgerId } from "../ledger/Transaction.ts"
import { Address } from "../chain/Address.ts"
import { FailReason } from "../transfer/FailReason.ts"
import { RequestId } from "../transfer/RequestId.ts"
import { Status } from "../transfer/Status.ts"
import { hexDigits } from "../encoding/HexDigits.ts"

/** What happened, as a webhook tells it. */
export const WebhookFact = Schema.TaggedUnion({
  /** A request entered a state. */
  RequestUpdated: { request: RequestId, status: Status, failReason: Schema.NullOr(FailReason) },
  /** A wallet's available balance fell below the threshold of a webhook. */
  BalanceLow: { wallet: Address, available: MicroUsdcFromString, threshold: MicroUsdcFromString }
})
export type WebhookFact = typeof WebhookFact.Type

const names: Readonly<Record<WebhookFact["_tag"], string>> = {
  RequestUpdated: "request.status.updated",
  BalanceLow: "app-balance.low"
}

/** The event's name on the wire. */
export const eventName = ({ _tag }: Pick<WebhookFact, "_tag">): string => names[_tag]

/**
 * The id of a change of a request: the same in every delivery and to every receiver. With an empty sequence, what
 * stands before the number.
 */
export const updateEventId = (request: RequestId, sequence: number | ""): string => `${request}.${sequence}`

/** The id of a threshold crossing, derived from the movement that caused it. */
export const balanceEventId = (movement: LedgerId): string =>
  `balance.${hexDigits(sha256(utf8ToBytes(movement))).slice(0, 32)}`

/** The body of a webhook: its text is what is signed. `at` in milliseconds. */
export const webhookBody = (event: string, id: string, sequence: number, at: number, data: unknown): string =>
  JSON.stringify({ event, id, sequence, timestamp: at, data })
