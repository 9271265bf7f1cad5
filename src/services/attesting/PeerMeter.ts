/** What operators are told of peers, by the oracle alone. */
import * as Metric from "effect/Metric"
import type { PeerOutcome } from "../../domain/quorum/PeerSignatures.ts"

const peers = Metric.counter("peer_answers_total", { description: "what peers answered to the oracle, by peer, whether it is a shadow, and outcome: agrees, or why its signature does not count", incremental: true })

export const countPeer = (peer: string, shadow: boolean, outcome: PeerOutcome) =>
  Metric.update(Metric.withAttributes(peers, { peer, shadow: String(shadow), outcome }), 1)
