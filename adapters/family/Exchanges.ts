/** The entry rules of all exchanges. */
import type { ChainFamily } from "./ChainFamily.ts"
import type { EntryRules } from "./EntryRules.ts"

/** Everything that an exchange shows is final, and it shows nothing that is not final. */
export const exchangeEntries: EntryRules = {
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  refuseFinality: (rule) =>
    rule._tag === "Tag"
      ? undefined
      : "finality: an exchange tells of no depth; leave it out, or name the tag finalized",
  parts: [],
  swapSources: []
}

export const exchangeLacks: NonNullable<ChainFamily["lacks"]> = {
  calls: "a transaction is one transfer and calls nothing: an order with calls is refused",
  reorg: "there are no blocks to take back: a transfer is attested once the exchange shows it as done"
}
