/** What the account has sent, as one node's blocks show it. */
import { Effect } from "effect"
import type { SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { shownInBlock } from "../../../src/domain/families/bitcoin/evidence/BtcBlock.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { readBtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { writeStoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { feeOfAccount, movesNothing, paidOrderIn } from "../../../src/domain/families/bitcoin/treasury/SentPayment.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { bytesOfHex, Hash, RawBytes } from "../decode/NodeAnswers.ts"
import { decodedAs, readHeader } from "../observe/ReadPlace.ts"
import { blockCall, hashCall, resultOf, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { transactionIdOf } from "./SignSpending.ts"
import { addressOn } from "./SolverAccount.ts"
import type { KeyAccount } from "./SolverAccount.ts"

const hashOf = resultOf(Hash)
const bytesOf = resultOf(RawBytes)

export const blockAt = Effect.fnUntraced(
  function*(rpc: CoreRpc, height: bigint, deadline: number): Effect.fn.Return<BlockRef, ReadFault> {
    const [answer] = yield* rpc.answers([hashCall(Number(height))], deadline)
    return yield* readHeader(rpc, yield* hashOf(answer), deadline)
  }
)

/** What its inputs spend, from the transactions that made it, in their order. */
const readSources = Effect.fnUntraced(
  function*(rpc: CoreRpc, { inputs }: BtcTransaction, deadline: number) {
    const answers = yield* rpc.answers(inputs.map(({ transactionId }) => transactionCall(transactionId, 0)), deadline)
    return yield* Effect.forEach(
      inputs,
      Effect.fnUntraced(function*({ index, transactionId }, at) {
        const { outputs } = yield* decodedAs(transactionId, yield* bytesOf(answers[at]))
        return outputs[index] ?? (yield* Effect.fail("contradiction" as const))
      })
    )
  }
)

/** Undefined for a transaction that spends no coin of the account. */
export const readSent = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  { script }: KeyAccount,
  { block, bytes, transaction }: {
    readonly transaction: BtcTransaction
    readonly bytes: Uint8Array
    readonly block: BlockRef
  },
  deadline: number
): Effect.fn.Return<SentTransaction | undefined, ReadFault> {
  const sources = yield* readSources(rpc, transaction, deadline)
  if (!sources.some((source) => sameBytes(source.script, script))) return undefined
  const form = { ...transaction, bytes, amounts: sources.map(({ amount }) => amount) }
  const paid = paidOrderIn(transaction, script, chain.network)
  const isUnmoved = movesNothing(script, sources, transaction)
  return {
    account: addressOn({ script }, chain),
    transactionId: transactionIdOf(transaction.id),
    raw: writeStoredForm({ form, ancestors: [] }),
    sequence: undefined,
    block,
    succeeded: true,
    gasPaid: feeOfAccount(script, sources, transaction),
    // A sweep names an order, and pays what it took from a deposit address.
    payment: paid === undefined || isUnmoved ? undefined : { ...paid, currency: chain.native.address },
    movesNothing: isUnmoved
  }
})

export const readSentAt = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  account: KeyAccount,
  height: bigint,
  deadline: number
): Effect.fn.Return<ReadonlyArray<SentTransaction>, ReadFault> {
  const block = yield* blockAt(rpc, height, deadline)
  const [answer] = yield* rpc.answers([blockCall(block.hash, 0)], deadline)
  const shown = shownInBlock(bytesOfHex(yield* bytesOf(answer)), account.publicKey)
  if (shown === undefined) return yield* Effect.fail("undecodable" as const)
  if (shown.hash !== block.hash) return yield* Effect.fail("contradiction" as const)
  const sent = yield* Effect.forEach(shown.transactions, (bytes) => {
    const transaction = readBtcTransaction(bytes)
    return transaction === undefined
      ? Effect.fail("undecodable" as const)
      : readSent(rpc, chain, account, { transaction, bytes, block }, deadline)
  })
  return sent.filter((each) => each !== undefined)
})
