/** Metrics about peers for operators. Only the oracle reports them. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { PeerOutcome } from "../../domain/quorum/PeerSignatures.ts"

const peers = Metric.counter("peer_answers_total", {
  description:
    "what peers answered to the oracle, by peer, whether it is a shadow, and outcome: agrees, or why its signature does not count",
  incremental: true
})

/** Outcomes that an operator has to look at. They are reported from 0, so that the first one shows as an increase. */
const alarming = ["disagrees", "several-signers", "wrong-domain", "wrong-signer"] as const satisfies ReadonlyArray<
  PeerOutcome
>

/** Exports a peer's alarming counters from 0 at start, so that a rule sees their first increase. */
export const countPeerFromZero = (peer: string, shadow: boolean) =>
  Effect.forEach(
    alarming,
    (outcome) => Metric.update(Metric.withAttributes(peers, { peer, shadow: String(shadow), outcome }), 0),
    { discard: true }
  )

/** Counts one answer of a peer, or its absence. */
export const countPeer = (peer: string, shadow: boolean, outcome: PeerOutcome) =>
  Metric.update(Metric.withAttributes(peers, { peer, shadow: String(shadow), outcome }), 1)
