/**
 * The peers of the request that is being answered: whoever reads for an attestation has them asked at the same time,
 * and whoever signs an execution takes what they signed. Nobody, unless the request came by `Cosigning.alongside`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SignedExecution } from "./SignedExecution.ts"

export interface Asked {
  /** Asks all peers, once; waits for none of them. */
  readonly begin: Effect.Effect<void>
  /**
   * What is signed here with the signatures of the peers that count. Never fails for a peer, nor waits beyond their
   * timeout.
   */
  readonly cosign: (local: SignedExecution) => Effect.Effect<SignedExecution>
}

export const AskedPeers = Context.Reference<Asked>("causeway/services/attesting/AskedPeers", {
  defaultValue: () => ({ begin: Effect.void, cosign: Effect.succeed })
})

/** To be run when a claim has passed what can be judged without reading, and before anything is read. */
export const askPeers: Effect.Effect<void> = Effect.flatMap(AskedPeers, ({ begin }) => begin)
