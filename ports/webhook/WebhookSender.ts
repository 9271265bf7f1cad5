/** The way to a receiver: one POST, within ten seconds, to an address that may be reached; no redirect is followed. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SendOutcome } from "../../src/domain/webhook/WebhookOutcome.ts"

export class WebhookSender extends Context.Service<WebhookSender, {
  /** Whatever comes of it is an outcome. Of the answer nothing but the status is read. */
  readonly send: (url: string, headers: Readonly<Record<string, string>>, body: string) => Effect.Effect<SendOutcome>
}>()("causeway/ports/WebhookSender") {}
