/** Bounds the number of a client's open streams (STATUS-5). The stream's scope holds its slot. */
import { Effect } from "effect"
import type { Scope } from "effect"

const MAX_STREAMS = 20

export interface StreamSlots {
  readonly isFull: (client: string) => boolean
  readonly hold: (client: string) => Effect.Effect<void, never, Scope.Scope>
}

export const makeStreamSlots = (): StreamSlots => {
  const open = new Map<string, number>()
  const add = (client: string, count: number) =>
    Effect.sync(() => {
      const held = (open.get(client) ?? 0) + count
      if (held <= 0) open.delete(client)
      else open.set(client, held)
    })
  return {
    isFull: (client) => (open.get(client) ?? 0) >= MAX_STREAMS,
    hold: (client) => Effect.acquireRelease(add(client, 1), () => add(client, -1))
  }
}
