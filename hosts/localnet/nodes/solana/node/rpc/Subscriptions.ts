/**
 * Subscriptions of one WebSocket connection: slotSubscribe and signatureSubscribe. A signature is reported once, when
 * it has the requested commitment, also when it had it before.
 */
import { Schema } from "effect"
import type { Chain, Commitment } from "../Chain.ts"
import type { Methods } from "./Methods.ts"
import { Commitments, decode, inContext, optional, SignatureText } from "./Parameters.ts"

interface Subscription {
  /** Sends due notifications. True when there will be no more. */
  readonly look: () => boolean
}

const OfSignature = Schema.Tuple([
  SignatureText,
  optional(Schema.Struct({
    commitment: Schema.optionalKey(Commitments),
    enableReceivedNotification: Schema.optionalKey(Schema.Boolean)
  }))
])

const ranks: ReadonlyArray<Commitment> = ["processed", "confirmed", "finalized"]

export interface Connection {
  readonly methods: Methods
  readonly close: () => void
}

/** `tell` sends a notification: its method, its subscription and its content. */
export const openConnection = (
  chain: Chain,
  tell: (method: string, subscription: number, result: unknown) => void
): Connection => {
  const subscriptions = new Map<number, Subscription>()
  let counter = 0
  const look = () => {
    for (const [id, subscription] of subscriptions) if (subscription.look()) subscriptions.delete(id)
  }
  const close = chain.onChange(look)
  const add = (make: (id: number) => Subscription): number => {
    counter += 1
    subscriptions.set(counter, make(counter))
    // After the answer that names it.
    setImmediate(look)
    return counter
  }
  const remove = (params: unknown): boolean => subscriptions.delete(decode(Schema.Tuple([Schema.Int]), params)[0])
  return {
    close,
    methods: {
      slotSubscribe: () =>
        add((id) => {
          let told = chain.ledger.open.slot
          return {
            look: () => {
              const { parentSlot, slot } = chain.ledger.open
              if (slot !== told) {
                tell("slotNotification", id, { parent: parentSlot, root: chain.slotAt("finalized"), slot })
              }
              told = slot
              return false
            }
          }
        }),
      signatureSubscribe: (params) => {
        const [signature, options] = decode(OfSignature, params)
        const wanted = ranks.indexOf(options?.commitment ?? "finalized")
        return add((id) => ({
          look: () => {
            const record = chain.ledger.transaction(signature)
            if (record === undefined || ranks.indexOf(chain.commitmentOf(record.slot)) < wanted) return false
            tell("signatureNotification", id, inContext(record.slot, { err: record.meta.err }))
            return true
          }
        }))
      },
      slotUnsubscribe: remove,
      signatureUnsubscribe: remove
    }
  }
}
