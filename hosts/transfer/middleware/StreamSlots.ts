/** Bounds the number of a client's open streams (STATUS-5). A stream's scope holds its slot, or what took it does. */
import { Effect } from "effect"
import type { Scope } from "effect"

const MAX_STREAMS = 20

export interface StreamSlots {
  readonly isFull: (client: string) => boolean
  readonly hold: (client: string) => Effect.Effect<void, never, Scope.Scope>
  /** Takes a slot. Call what it returns once, when the stream has ended. */
  readonly take: (client: string) => () => void
}

export const makeStreamSlots = (): StreamSlots => {
  const open = new Map<string, number>()
  const add = (client: string, count: number): void => {
    const held = (open.get(client) ?? 0) + count
    if (held <= 0) open.delete(client)
    else open.set(client, held)
  }
  const take = (client: string) => {
    add(client, 1)
    return () => add(client, -1)
  }
  return {
    isFull: (client) => (open.get(client) ?? 0) >= MAX_STREAMS,
    hold: (client) => Effect.asVoid(Effect.acquireRelease(Effect.sync(() => take(client)), Effect.sync)),
    take
  }
}
