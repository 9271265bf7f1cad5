/**
 * The deposits of a Bitcoin chain's transactions, for the transfer service. Decoded like the oracle's evidence, but from
 * one node, and counted from the first block on.
 */
import { Effect, Result } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { depositsOf } from "../../../src/domain/families/bitcoin/evidence/Deposits.ts"
import { firstAddress, pays } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { SpendingTransaction } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { onchainId } from "../../../src/domain/hub/ProtocolId.ts"
import type { BlockRef, Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { asHeader, canonical, decodedAs } from "../observe/ReadPlace.ts"
import { readSpent } from "../observe/ReadSpent.ts"
import { headerCall, resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"

const rawOf = resultOrNone(RawTransaction)

/** At most one deposit (BITCOIN-2), as the store keeps it. */
const depositsIn = (chain: Chain, transaction: SpendingTransaction, block: BlockRef): ReadonlyArray<Deposit> => {
  const transactionId = Result.getOrThrow(parseTransactionId(chain.family, transaction.id))
  return depositsOf(transaction, { address: chain.depository, network: chain.network }).map((
    { amount, currency, depositId, depositor, index }
  ) => ({
    onchainId: onchainId(chain.slug, transactionId, index),
    chainId: chain.id,
    transactionId,
    index,
    block,
    depositId,
    depositor,
    // Who signed, whomever the note names.
    sender: firstAddress(transaction, chain.network) ?? depositor,
    currency,
    amount
  }))
}

/** Undefined when no block of the node's chain holds the transaction: it waits, was replaced, or is unknown. */
export const readDeposits = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    chain: Chain,
    id: string,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Deposit> | undefined, ReadFault> {
    const raw = yield* rawOf((yield* rpc.answers([transactionCall(id, 2)], deadline))[0])
    if (raw?.blockhash === undefined) return undefined
    const [placed] = yield* rpc.answers([headerCall(raw.blockhash)], deadline)
    const block: BlockRef = yield* asHeader(placed, raw.blockhash)
    if (!(yield* canonical(rpc, block, deadline))) return undefined
    const transaction = yield* decodedAs(id, raw.hex)
    const depository = { address: chain.depository, network: chain.network }
    if (!transaction.outputs.some(({ script }) => pays(script, depository))) return []
    const spent = yield* readSpent(rpc, transaction, raw, deadline)
    return depositsIn(chain, { ...transaction, spent }, block)
  }
)

/** The deposits of transactions of one block, read in one request as far as the node says what they spend. */
export const readDepositsOf = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    chain: Chain,
    transactions: ReadonlyArray<BtcTransaction>,
    block: BlockRef,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Deposit>, ReadFault | "behind"> {
    const answers = yield* rpc.answers(transactions.map(({ id }) => transactionCall(id, 2)), deadline)
    const found: Array<Deposit> = []
    for (const [at, transaction] of transactions.entries()) {
      const raw = yield* rawOf(answers[at])
      // The block has it. A node that does not know it yet has not indexed the block.
      if (raw === undefined) return yield* Effect.fail("behind" as const)
      const spent = yield* readSpent(rpc, transaction, raw, deadline)
      found.push(...depositsIn(chain, { ...transaction, spent }, block))
    }
    return found
  }
)
