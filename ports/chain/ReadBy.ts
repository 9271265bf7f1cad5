/**
 * Who answers a read of a chain that money depends on: one endpoint, or the quorum of them (QUORUM-5).
 *
 * Even by one endpoint, an answer that cannot be taken back is given only when the quorum confirms it; each method says
 * which answers those are.
 */
export type ReadBy = "endpoint" | "quorum"
