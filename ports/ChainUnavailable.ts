/**
 * A chain could not be read or written now: no endpoint answered in time, or not sensibly.
 *
 * Always worth a retry, never evidence of anything: a read that fails is not "not found" (spec/4 §6). It carries no URL
 * and no text of a node, because both can hold keys.
 */
import * as Schema from "effect/Schema"
import { ChainSlug } from "../src/domain/chain/ChainId.ts"

export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  chain: ChainSlug,
  operation: Schema.String
}) {
  override get message(): string {
    return `${this.chain} could not be reached for ${this.operation}; try again`
  }
}
