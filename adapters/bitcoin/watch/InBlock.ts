/** A transaction that a block of the node's chain holds. */
import { Effect } from "effect"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { asHeader, canonical, decodedAs } from "../observe/ReadPlace.ts"
import { headerCall, resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"

const rawOf = resultOrNone(RawTransaction)

export interface InBlock {
  readonly block: BlockRef
  readonly transaction: BtcTransaction
  /** As the node tells it. */
  readonly raw: RawTransaction
}

/** Undefined when it waits, was replaced, or is unknown. */
export const readInBlock = Effect.fnUntraced(
  function*(rpc: CoreRpc, id: string, deadline: number): Effect.fn.Return<InBlock | undefined, ReadFault> {
    const raw = yield* rawOf((yield* rpc.answers([transactionCall(id, 2)], deadline))[0])
    if (raw?.blockhash === undefined) return undefined
    const [placed] = yield* rpc.answers([headerCall(raw.blockhash)], deadline)
    const block = yield* asHeader(placed, raw.blockhash)
    if (!(yield* canonical(rpc, block, deadline))) return undefined
    return { block, raw, transaction: yield* decodedAs(id, raw.hex) }
  }
)
