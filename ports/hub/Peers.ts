/**
 * The other oracles that may sign what this one signs (PEER-1): each is asked the question that was asked here.
 *
 * What a peer says is worth nothing in itself: `PeerSignatures` of the domain decides what counts.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { PeerReply } from "../../src/domain/quorum/PeerReply.ts"

/** What was asked here, as it is asked of a peer. */
export interface PeerQuestion {
  /** Of the endpoint, the same at every oracle. */
  readonly path: string
  /** The JSON of the body. */
  readonly body: string
  /** The key that came with the request, for peers that get no other. */
  readonly incomingKey: Redacted.Redacted | undefined
}

/** A peer gave no reply. No URL, key, or text of the peer's: `why` is all that is kept. */
export class PeerFailed extends Schema.TaggedError<PeerFailed>()("PeerFailed", {
  why: Schema.Literals(["error", "garbage", "refused", "unauthorized"])
}) {}

/** Another oracle, as it is asked. */
export interface Peer {
  /** Its host: appears in logs and metrics. */
  readonly name: string
  /** True for one whose signatures are measured and never returned. */
  readonly isShadow: boolean
  /** Asks once. Has no deadline of its own; interrupted, it takes the request back. */
  readonly ask: (question: PeerQuestion) => Effect.Effect<PeerReply, PeerFailed>
}

export class Peers extends Context.Service<Peers, {
  /** In the order of the configuration; none when there are no peers. */
  readonly all: ReadonlyArray<Peer>
}>()("causeway/ports/Peers") {}
