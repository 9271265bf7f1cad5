/** The port `Webhooks` in memory. Secrets are not sealed: nothing of them leaves the process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Webhooks } from "../../../ports/store/clients/Webhooks.ts"
import type { Webhook } from "../../../src/domain/webhook/Webhook.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { WebhookRow } from "../rows/ClientRows.ts"
import { WriteRefused } from "../Table.ts"

const shown = ({ previous, webhook }: WebhookRow): Webhook => ({
  ...webhook,
  ...(previous === undefined ? {} : { previousUntil: previous.until })
})

export const layer = Layer.effect(
  Webhooks,
  Effect.map(MemoryStore, ({ call }) =>
    Webhooks.of({
      add: ({ apiKeyId, createdAt, id, lowBalance, url }, secret, most) =>
        call("Webhooks.add", ({ keys, webhooks, webhooksOf }) => {
          if (webhooksOf(apiKeyId).length >= most) return false
          if (!keys.has(apiKeyId)) throw new WriteRefused(`there is no key ${apiKeyId}`)
          webhooks.add(id, {
            key: apiKeyId,
            webhook: { id, apiKeyId, url, ...(lowBalance === undefined ? {} : { lowBalance }), createdAt },
            secret,
            previous: undefined,
            balanceSequence: 0
          })
          return true
        }),
      ofKey: (key) =>
        call("Webhooks.ofKey", ({ webhooksOf }) =>
          webhooksOf(key).map(shown).toSorted(ascending(({ createdAt }) => createdAt, ({ id }) => id))),
      rotate: (key, id, secret, until) =>
        call("Webhooks.rotate", ({ webhooks }) => {
          const row = webhooks.get(id)
          if (row?.key !== key) {
            return undefined
          }
          const rotated = { ...row, secret, previous: { secret: row.secret, until } }
          webhooks.set(id, rotated)
          return shown(rotated)
        }),
      remove: (key, id) =>
        call("Webhooks.remove", ({ deliveries, webhooks }) => {
          if (webhooks.get(id)?.key !== key) {
            return false
          }
          const own = deliveries.all().filter(({ webhookId }) =>
            webhookId === id
          )
          for (const delivery of own) deliveries.remove(delivery.id)
          return webhooks.remove(id)
        })
    }))
)
