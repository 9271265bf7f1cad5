/**
 * The other oracles that may sign what this one signs (PEER-1). Each is asked the question that this oracle was asked.
 *
 * A peer's reply is not trusted by itself: the domain's `PeerSignatures` decides which signatures count.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { PeerReply } from "../../src/domain/quorum/PeerReply.ts"

/** The question that this oracle was asked, in the form in which a peer is asked. */
export interface PeerQuestion {
  /** The endpoint's path, the same at every oracle. */
  readonly path: string
  /** The JSON body. */
  readonly body: string
  /** The key that came with the request, for peers that are configured to receive it (`pass-through`). */
  readonly incomingKey: Redacted.Redacted | undefined
}

/** A peer gave no reply. Carries no URL, no key and no text from the peer; only `why` is kept. */
export class PeerFailed extends Schema.TaggedError<PeerFailed>()("PeerFailed", {
  why: Schema.Literals(["error", "garbage", "refused", "unauthorized"])
}) {}

/** Another oracle that can be asked. */
export interface Peer {
  /** Its host, shown in logs and metrics. */
  readonly name: string
  /** True for a peer whose signatures are measured and never returned. */
  readonly isShadow: boolean
  /** Asks once. Has no deadline of its own; interrupting it cancels the request. */
  readonly ask: (question: PeerQuestion) => Effect.Effect<PeerReply, PeerFailed>
}

/** Other oracles, asked for their signatures of what this one signs. Which signatures count is decided elsewhere. */
export class Peers extends Context.Service<Peers, {
  /** In the order of the configuration; empty when there are no peers. */
  readonly all: ReadonlyArray<Peer>
}>()("causeway/ports/Peers") {}
