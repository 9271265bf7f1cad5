/** For receivers of webhooks: is one genuine and recent? Small, for servers at the edge and for workers. */
export { verifyWebhook } from "../../../../src/domain/webhook/VerifyWebhook.ts"
export type {
  ReceivedHeaders,
  ReceivedWebhook,
  WebhookRefusal,
  WebhookVerdict
} from "../../../../src/domain/webhook/VerifyWebhook.ts"
