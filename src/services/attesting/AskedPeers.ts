/**
 * The peers of the request that is being answered. Code that reads for an attestation has them asked at the same time,
 * and code that signs an execution adds their signatures. There are no peers unless the request came through
 * `Cosigning.alongside`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SignedExecution } from "./SignedExecution.ts"

/** The peers of one request (PEER-1). */
export interface Asked {
  /** Asks all peers, once, without waiting for any of them. */
  readonly begin: Effect.Effect<void>
  /**
   * Adds the signatures of the peers that count to the local ones. Never fails because of a peer, and never waits
   * beyond the peers' timeout.
   */
  readonly cosign: (local: SignedExecution) => Effect.Effect<SignedExecution>
}

export const AskedPeers = Context.Reference<Asked>("causeway/services/attesting/AskedPeers", {
  defaultValue: () => ({ begin: Effect.void, cosign: Effect.succeed })
})

/** Run this when a claim has passed every check that needs no reading, and before anything is read. */
export const askPeers: Effect.Effect<void> = Effect.flatMap(AskedPeers, ({ begin }) => begin)
