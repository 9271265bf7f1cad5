/**
 * A chain could not be read or written now: no endpoint answered in time, or not sensibly.
 *
 * Always worth a retry, never evidence of anything: a read that fails is not "not found" (EVIDENCE-1). It carries no
 * URL and no text of a node, because both can hold keys; `kind` says what an operator should look at.
 */
import * as Schema from "effect/Schema"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"

export const ChainFault = Schema.Literals([
  /** Nothing answered within the deadline. */
  "timeout",
  /** No connection, or an answer that was no success. */
  "unreachable",
  /** The endpoint answers for another chain. */
  "wrong-chain",
  /** The node refused the call itself. */
  "refused",
  /** The node is behind what is known already. */
  "behind",
  /** Its endpoints say different things, and no answer has a quorum. */
  "divided",
  /** This process has no endpoint for the chain, or does not serve it. */
  "not-served",
  /** This process has nobody to ask which transaction spends a coin. */
  "no-explorer",
  /** More questions than this process puts for one answer. */
  "too-large",
  /** This process reads as much for others at this moment as it can hold. */
  "busy",
  /** The chain contradicts its configuration here: an operator has to look at it. */
  "misconfigured"
])
export type ChainFault = typeof ChainFault.Type

const explanations: Readonly<Record<ChainFault, string>> = {
  timeout: "did not answer in time",
  unreachable: "could not be reached",
  "wrong-chain": "has an endpoint that answers for another chain",
  refused: "has a node that refused the call",
  behind: "has a node that is behind",
  divided: "has endpoints that say different things",
  "not-served": "is not served by this process",
  "no-explorer": "is read without an explorer by this process",
  busy: "is read for too many others at this moment",
  "too-large": "is not asked that much at once by this process",
  misconfigured: "contradicts its configuration here"
}

export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  chain: ChainSlug,
  operation: Schema.String,
  kind: ChainFault
}) {
  override get message(): string {
    return `${this.chain} ${explanations[this.kind]} (${this.operation}); try again`
  }
}
