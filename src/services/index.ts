/**
 * `causeway-kit/services`: the use cases, Effect programs over the ports. A host of one's own provides them with its
 * layers of the ports; `causeway-kit/hosts/transfer` is such a host, ready made.
 */
/** Deposits seen are filled or refunded, each once: a durable workflow, run by the workflow engine that is provided. */
export * as Filling from "./filling/Filling.ts"
/** A request becomes a stored, signed, executable quote. */
export * as Quoting from "./Quoting.ts"
/** What became of a transfer. */
export * as Statuses from "./Statuses.ts"
/** Every chain is scanned from a stored cursor, and each deposit found starts its filling. */
export * as Watching from "./Watching.ts"
