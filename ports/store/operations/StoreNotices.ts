/**
 * Tells a process that something in the store has changed, whichever process has written it. A notice belongs to the
 * transaction that writes: it arrives after the commit, and never for what was rolled back.
 *
 * Notices may be lost, and come late or too often. So whoever waits for one also looks from time to time (`SlowPoll`),
 * and reads the store to learn what has changed. SECURITY: that no notice came says nothing about the store.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * What notices are about:
 *
 * - `call-losses`: what a reverted fill may have cost has become what it has cost, or more is reserved for a replacement
 * - `deposit-addresses`: one is to be watched on a chain where none was made or swept in five minutes
 * - `deposit-keys`: the stock of deposit addresses is to be filled up: one in sixteen of those that are taken tells it
 * - `deposits`: a deposit is open, or another one of its order may follow
 * - `direct-payments`: scanning of a chain for direct payments begins, or one was seen
 * - `pauses`: a pause was added or removed, halts among them
 * - `payouts`, `permits`, `submissions`, `sweeps`: one was queued, or is queued again in another round
 * - `restorations`: a restoration began or has ended
 * - `webhooks`: a delivery was added
 */
export const STORE_TOPICS = [
  "call-losses",
  "deposit-addresses",
  "deposit-keys",
  "deposits",
  "direct-payments",
  "pauses",
  "payouts",
  "permits",
  "restorations",
  "submissions",
  "sweeps",
  "webhooks"
] as const

/** What a notice is about. */
export type StoreTopic = typeof STORE_TOPICS[number]

/** Notices of changes by topic. They may be lost: the store is read to learn what has changed. */
export class StoreNotices extends Context.Service<StoreNotices, {
  /**
   * How many notices of the topic this process has heard. It is read before the store is, so that no change is missed
   * between the two. A new connection, and each second without one, counts as a notice of every topic.
   */
  readonly heard: (topic: StoreTopic) => Effect.Effect<number>
  /** Returns as soon as more was heard of the topic than `known`. */
  readonly after: (topic: StoreTopic, known: number) => Effect.Effect<void>
}>()("causeway/ports/StoreNotices") {}
