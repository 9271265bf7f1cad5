/**
 * Sessions of the dashboard, by the hashes of their texts. Every process of the API knows all of them. Times are in
 * milliseconds.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Session } from "../../../src/domain/session/Session.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Sessions of the dashboard. An ended or unknown one is not found. */
export class Sessions extends Context.Service<Sessions, {
  /**
   * Durable once it returns. Also deletes sessions that had expired when this one started, and the oldest ones of its
   * subject, so that the subject has at most `most`.
   */
  readonly add: (hash: Hex32, session: Session, most: number) => Effect.Effect<void, StoreUnavailable>
  /** The session as of `now`; undefined when it has expired, was ended, or never was. */
  readonly find: (hash: Hex32, now: number) => Effect.Effect<Session | undefined, StoreUnavailable>
  /** Idempotent. */
  readonly end: (hash: Hex32) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Sessions") {}
