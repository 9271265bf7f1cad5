/**
 * Webhooks: for receivers, whether one is genuine; for senders, its signature, where it may go and when it is tried
 * again.
 */
export { type AddressRange, addressRange } from "../domain/webhook/AddressRange.ts"
export { MAX_TRIES, retryDelay } from "../domain/webhook/RetryDelay.ts"
export {
  type ReceivedHeaders,
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookVerdict
} from "../domain/webhook/VerifyWebhook.ts"
export { LowBalance, Webhook, WebhookId } from "../domain/webhook/Webhook.ts"
export { WebhookFact } from "../domain/webhook/WebhookFact.ts"
export { isTaken, SendFailure, SendOutcome } from "../domain/webhook/WebhookOutcome.ts"
export { signatureHeaders, webhookSignature } from "../domain/webhook/WebhookSignature.ts"
export { InvalidWebhookUrl, parseWebhookUrl, type WebhookReach } from "../domain/webhook/WebhookUrl.ts"
