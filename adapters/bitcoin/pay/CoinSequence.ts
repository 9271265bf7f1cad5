/**
 * Which coins payments that were signed by some height may need: those whose sequence is below it (BITCOIN-16).
 *
 * A payment spends coins in blocks, and change of other payments that wait. Such change gets into a block at any later
 * time, so that the block says nothing, and its sequence is 0. A stranger's coin has one confirmation when it is spent.
 * A reorg may move it into a later block, and the node that shows it may have been ahead of the others: so it counts as
 * older than its block, by as many blocks as become final. The coin that the account has moved to itself is spent by no
 * payment before that is final.
 */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BtcOutpoint, BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { showsKey } from "../../../src/domain/families/bitcoin/evidence/BtcBlock.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import type { ReadHead } from "../watch/Blocks.ts"
import { placeOf } from "./Landing.ts"
import { readSent } from "./ReadSent.ts"
import type { KeyAccount } from "./SolverAccount.ts"

export interface SequencedCoin extends BtcOutpoint {
  readonly sequence: bigint
}

/** Requests of a node at a time. */
const AT_ONCE = 8

/** By how many blocks a stranger's coin counts as older. */
export const marginAt = ({ finalHeight, height }: Pick<ReadHead, "finalHeight" | "height">): bigint =>
  height - finalHeight

/** Moves coins of the account to the account, and is no payment or sweep. */
const isMove = ({ outputs }: Pick<BtcTransaction, "outputs">, { script }: KeyAccount): boolean =>
  outputs.every((output) => sameBytes(output.script, script))

/** The account's outputs of a payment or sweep of its own. None of a move. */
export const changeIn = (transaction: BtcTransaction, account: KeyAccount): ReadonlyArray<SequencedCoin> =>
  isMove(transaction, account) ?
    [] :
    transaction.outputs.flatMap(({ script }, index) =>
      sameBytes(script, account.script) ? [{ transactionId: transaction.id, index, sequence: 0n }] : []
    )

/** The sequence of the coins that a transaction has made. Undefined while it is in no block of the node. */
const sequenceOf = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  account: KeyAccount,
  margin: bigint,
  id: string,
  deadline: number
): Effect.fn.Return<bigint | undefined, ReadFault> {
  const place = yield* placeOf(rpc, id, deadline)
  if (place?.block === undefined) return undefined
  const { block, bytes, transaction } = place
  const sent = showsKey(bytes, account.publicKey)
    ? yield* readSent(rpc, chain, account, { block, bytes, transaction }, deadline)
    : undefined
  if (sent !== undefined) return isMove(transaction, account) ? block.height : 0n
  return block.height < margin ? 0n : block.height - margin
})

/** Of coins in blocks, at one node. What is in no block by now is left out. */
export const withSequences = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  account: KeyAccount,
  { coins, margin }: { readonly coins: ReadonlyArray<BtcOutpoint>; readonly margin: bigint },
  deadline: number
): Effect.fn.Return<ReadonlyArray<SequencedCoin>, ReadFault> {
  const ids = [...new Set(coins.map(({ transactionId }) => transactionId))]
  const found = yield* Effect.forEach(
    ids,
    (id) => Effect.map(sequenceOf(rpc, chain, account, margin, id, deadline), (sequence) => [id, sequence] as const),
    { concurrency: AT_ONCE }
  )
  const sequences = new Map(found)
  return coins.flatMap(({ index, transactionId }) => {
    const sequence = sequences.get(transactionId)
    return sequence === undefined ? [] : [{ transactionId, index, sequence }]
  })
})
