/** `causeway-kit/adapters/webhooks`: the connection to the receivers of webhooks. */
/** The port `WebhookSender`, over HTTP. */
export * as HttpsSender from "./HttpsSender.ts"
