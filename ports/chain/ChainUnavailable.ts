/**
 * A chain could not be read or written now: no endpoint answered in time, or the answer made no sense.
 *
 * It can always be retried and is never evidence: a failed read does not mean "not found" (EVIDENCE-1). The error
 * carries no URL and no text from a node, because both can contain keys. `kind` tells an operator where to look.
 */
import * as Schema from "effect/Schema"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"

/** Why a chain did not answer. No kind shows a URL or an answer's text. */
export const ChainFault = Schema.Literals([
  /** No answer within the deadline. */
  "timeout",
  /** No connection, or an answer with an error status. */
  "unreachable",
  /** The endpoint answers for another chain. */
  "wrong-chain",
  /** The node rejected the call itself. */
  "refused",
  /** The node is behind what this process already knows. */
  "behind",
  /** The endpoints disagree, and no answer has a quorum. */
  "divided",
  /** This process has no endpoint for the chain, or does not serve it. */
  "not-served",
  /** This process has no explorer to ask which transaction spends a coin. */
  "no-explorer",
  /** It would take more reads than this process makes for one answer. */
  "too-large",
  /** This process is at its limit of concurrent reads for other requests. */
  "busy",
  /** The chain contradicts its configuration here, and an operator has to check it. */
  "misconfigured"
])
export type ChainFault = typeof ChainFault.Type

const explanations: Readonly<Record<ChainFault, string>> = {
  timeout: "did not answer in time",
  unreachable: "could not be reached",
  "wrong-chain": "has an endpoint that answers for another chain",
  refused: "has a node that refused the call",
  behind: "has a node that is behind",
  divided: "has endpoints that disagree",
  "not-served": "is not served by this process",
  "no-explorer": "has no explorer in this process's configuration",
  busy: "is read for too many other requests at this moment",
  "too-large": "would need more reads than this process makes for one answer",
  misconfigured: "contradicts its configuration here"
}

/** A chain could not be read or written now. It can be retried, and says nothing about what the chain contains. */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  chain: ChainSlug,
  operation: Schema.String,
  kind: ChainFault
}) {
  override get message(): string {
    return `${this.chain} ${explanations[this.kind]} (${this.operation}); try again`
  }
}
