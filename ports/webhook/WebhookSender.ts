/**
 * Sends webhooks to their receiver: one POST, within ten seconds, to an address that may be reached. Redirects are not
 * followed.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SendOutcome } from "../../src/domain/webhook/WebhookOutcome.ts"

/** Sends one webhook. A refusal or a silent receiver is a value, not an error. */
export class WebhookSender extends Context.Service<WebhookSender, {
  /** Every result is an outcome, never a failure. Only the status of the answer is read. */
  readonly send: (url: string, headers: Readonly<Record<string, string>>, body: string) => Effect.Effect<SendOutcome>
}>()("causeway/ports/WebhookSender") {}
