/**
 * Who answers a read that money depends on: one endpoint, or the quorum of the chain's endpoints (QUORUM-5).
 *
 * With "endpoint", too, an answer that cannot be taken back is given only when the quorum confirms it. Each method says
 * which answers those are.
 */
export type ReadBy = "endpoint" | "quorum"
