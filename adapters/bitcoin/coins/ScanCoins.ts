/**
 * All coins of an address, from a node's own set of unspent outputs: no explorer is asked, so none can hide one. A node
 * of a public chain looks at every output there is, which takes it minutes, and does so for one client at a time.
 */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { Count, Hash } from "../decode/NodeAnswers.ts"
import { resultOf, scanCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"

/** The block whose unspent outputs were listed. */
export interface ListedAt {
  readonly height: bigint
  readonly hash: string
}

export interface CoinScan extends ListedAt {
  readonly coins: ReadonlyArray<BtcOutpoint>
}

const Scanned = Schema.Struct({
  success: Schema.Literal(true),
  height: Count,
  bestblock: Hash,
  unspents: Schema.Array(Schema.Struct({ txid: Hash, vout: Count }))
})
const scanOf = resultOf(Scanned)

/** `deadline` in milliseconds. A node that is busy with another scan refuses. */
export const readScan = Effect.fnUntraced(
  function*(rpc: CoreRpc, address: Address, deadline: number): Effect.fn.Return<CoinScan, ReadFault> {
    const [answer] = yield* rpc.answers([scanCall(address)], deadline)
    const { bestblock, height, unspents } = yield* scanOf(answer)
    return {
      height: BigInt(height),
      hash: bestblock,
      coins: unspents.map(({ txid, vout }) => ({ transactionId: txid, index: vout }))
    }
  }
)
