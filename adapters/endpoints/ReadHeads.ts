/** Reads how far a chain has come, for any family: as one endpoint shows it, or as far as the quorum has. */
import type { Effect } from "effect"
import type { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Heads } from "../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../ports/chain/ReadBy.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { reachedBy } from "../../src/domain/quorum/AgreeOnReading.ts"
import type { ReadingRule } from "../../src/domain/quorum/AgreeOnReading.ts"
import type { Rotation } from "./Rotation.ts"

/** No two contradict each other: each endpoint has blocks of its own. What counts is how far enough of them are. */
const headsRule: ReadingRule<Heads> = {
  same: () => true,
  combine: (all, needed) => {
    const [first] = all
    const height = reachedBy(all.map((each) => each.height), needed) ?? first.height
    const finalHeight = reachedBy(all.map((each) => each.finalHeight), needed) ?? first.finalHeight
    return { height, finalHeight, hash: all.find((each) => each.height === height)?.hash ?? first.hash }
  },
  claims: () => "open"
}

/** The newest block and the final height of a chain, as one endpoint or the quorum shows them. */
export const readHeads = <Client>(
  rpc: Rotation<Client>,
  chain: Chain,
  by: ReadBy,
  readOne: (client: Client) => Promise<Heads>
): Effect.Effect<Heads, ChainUnavailable> =>
  rpc.witnessed(chain, { operation: "heads", call: readOne, rule: headsRule, rests: () => false }, by)
