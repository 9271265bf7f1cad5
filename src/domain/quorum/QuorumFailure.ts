/**
 * Why a quorum of endpoints has not agreed. Hosts are named for the operator's log; URLs never are, because their path
 * may be a key.
 */
import * as Schema from "effect/Schema"

/** Too few endpoints answered at the pinned block: the chain cannot be read now (503). */
export class TooFewAnswers extends Schema.TaggedError<TooFewAnswers>()("TooFewAnswers", {
  answered: Schema.Int,
  needed: Schema.Int
}) {
  override get message(): string {
    return `${this.answered} of ${this.needed} endpoints answered`
  }
}

/**
 * Endpoints that have reached the block disagree. This raises an alarm and refuses; it is not retried until it passes.
 */
export class EndpointsDisagree extends Schema.TaggedError<EndpointsDisagree>()("EndpointsDisagree", {
  /** Hosts grouped by their answer. */
  groups: Schema.Array(Schema.Array(Schema.String)),
  /** Hosts whose own endpoints contradict each other. */
  contradicting: Schema.Array(Schema.String),
  needed: Schema.Int
}) {
  override get message(): string {
    return `endpoints disagree: ${this.groups.map((group) => group.join(", ")).join(" against ")}`
  }
}
