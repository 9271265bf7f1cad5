/**
 * The transactions that the solver's accounts have sent on an EVM chain. Nodes have no index by sender, so whole blocks
 * are read.
 *
 * The signed bytes are rebuilt from what the node shows. They are accepted when their hash is the transaction's.
 */
import { addressCodec } from "../../../src/domain/families/index.ts"
import { Effect, Layer, Result } from "effect"
import { BaseError, keccak256, serializeTransaction } from "viem"
import type { Hex, PublicClient, Transaction } from "viem"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { AccountPosition, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { EvmTransaction } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { lastBlockBefore as blockBefore } from "../../endpoints/sent/LastBlockBefore.ts"
import { readPosition, sentBetween } from "../../endpoints/sent/SentRead.ts"
import { evmTransaction } from "../decode/EvmTransaction.ts"
import { sentPayment } from "../decode/SentPayment.ts"
import { EthereumRpc, NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { tipBounds, withBoundedTip } from "../pay/TipBounds.ts"
import { readFees, withMargin } from "../pay/Fees.ts"
import { paidFor } from "../pay/l1-data/L1Fee.ts"
import { isNonceTaken } from "../pay/NodeRefusals.ts"
import { readHeads } from "../observe/Finality.ts"
import { multicall3 } from "../rpc/Multicall3.ts"
import { standingReceipt } from "../observe/Receipt.ts"
import { SolverAccount } from "../pay/SolverAccount.ts"
import type { SendingAccount } from "../pay/SolverAccount.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** The most blocks of one logical read. */
const BLOCKS_A_READ = 100n

/** The transaction as it was broadcast. Empty for a kind that this service never signs. */
const rawOf = (transaction: Transaction): string => {
  if ((transaction.type !== "eip1559" && transaction.type !== "eip7702") || transaction.yParity === undefined) return ""
  const { accessList, chainId, gas, input, maxFeePerGas, maxPriorityFeePerGas, nonce, r, s, to, value, yParity } =
    transaction
  const common = { chainId, gas, data: input, maxFeePerGas, maxPriorityFeePerGas, nonce, to, value, accessList }
  const raw = transaction.type === "eip7702"
    ? serializeTransaction({ ...common, type: "eip7702", authorizationList: transaction.authorizationList }, {
      r,
      s,
      yParity
    })
    : serializeTransaction({ ...common, type: "eip1559" }, { r, s, yParity })
  return keccak256(raw) === transaction.hash ? raw : ""
}

/**
 * True for calls that move none of the solver's money. A call of the deposit address factory moves what others have
 * paid to its addresses into the depository. The Forwarder moves what its owner has signed for. A hub's gate, with or
 * without Multicall3, executes what oracles have signed.
 */
const movesNothing = (
  { depositAddresses, gate, permits }: Chain,
  { from, input, to, value }: EvmTransaction
): boolean => {
  if (value !== 0n || to === undefined) return false
  if (to === from) return input.length === 2
  return to === depositAddresses?.factory || depositAddresses?.former?.includes(to) === true ||
    to === permits?.forwarder || (gate !== undefined && (to === gate || to === multicall3))
}

const read = async (
  client: PublicClient,
  chain: Chain,
  transaction: Transaction
): Promise<SentTransaction | undefined> => {
  const standing = await standingReceipt(client, transaction.hash)
  if (standing === undefined) return undefined
  const { receipt, time } = standing
  const decoded = evmTransaction(transaction, receipt)
  return {
    account: decoded.from,
    transactionId: Result.getOrThrow(parseTransactionId(chain.family, transaction.hash)),
    raw: rawOf(transaction),
    sequence: BigInt(transaction.nonce),
    block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
    succeeded: receipt.status === "success",
    gasPaid: paidFor(chain, receipt),
    payment: sentPayment(chain, decoded),
    movesNothing: movesNothing(chain, decoded)
  }
}

const isUnknown = (error: unknown): boolean => error instanceof BaseError && error.name === "TransactionNotFoundError"

/** Undefined when the node does not show it in a block. */
const readById = async (
  client: PublicClient,
  chain: Chain,
  id: TransactionId
): Promise<SentTransaction | undefined> => {
  try {
    return await read(client, chain, await client.getTransaction({ hash: viemHex(id) }))
  } catch (error) {
    if (isUnknown(error)) return undefined
    throw error
  }
}

const NOTHING = 0n

/** The transactions that one of the accounts has sent in a block. */
const inBlock = async (
  client: PublicClient,
  chain: Chain,
  accounts: ReadonlyArray<string>,
  blockNumber: bigint
): Promise<ReadonlyArray<SentTransaction>> => {
  const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true })
  const found = await Promise.all(
    transactions.filter(({ from }) => accounts.includes(from.toLowerCase())).map((each) => read(client, chain, each))
  )
  // The block has the transaction. A node without its receipt has no answer yet.
  if (found.includes(undefined)) throw new NodeIsBehind()
  return found.filter((each) => each !== undefined)
}

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const solver = yield* SolverAccount
    const addressOf = ({ address }: SendingAccount) => Result.getOrThrow(addressCodec("ethereum-vm").parse(address))
    const rest = [...solver.further, ...solver.retired]
    const accounts = [addressOf(solver.account), ...rest.map(addressOf)] as const
    const senders = new Map([solver.account, ...rest].map((each) => [addressOf(each), each]))

    const position: SentTransactions["Service"]["position"] = (chain, account, by) =>
      readPosition(rpc, chain, by, async (client): Promise<AccountPosition> => {
        const { finalHeight, height } = await readHeads(client, chain)
        const address = viemHex(account)
        const [sequence, pending, final] = await Promise.all([
          client.getTransactionCount({ address, blockNumber: height }),
          client.getTransactionCount({ address, blockTag: "pending" }),
          finalHeight < 0n ? 0 : client.getTransactionCount({ address, blockNumber: finalHeight })
        ])
        return {
          counted: true,
          height,
          sequence: BigInt(sequence),
          pendingSequence: BigInt(pending),
          finalHeight,
          finalSequence: BigInt(final)
        }
      })

    const lastBlockBefore: SentTransactions["Service"]["lastBlockBefore"] = Effect.fnUntraced(function*(chain, time) {
      const { height } = yield* rpc.call(chain, "the newest block", (client) => readHeads(client, chain))
      return yield* blockBefore(height, time, (blockNumber) =>
        rpc.call(
          chain,
          "the time of a block",
          async (client) => Number((await client.getBlock({ blockNumber })).timestamp)
        ))
    })

    const find: SentTransactions["Service"]["find"] = (chain, id) =>
      // Its id comes from our own books and says who signed it.
      rpc.call(chain, "a transaction of the account", (client) => readById(client, chain, id))

    const between = Effect.fnUntraced(function*(chain: Chain, from: bigint, to: bigint, by: ReadBy) {
      const sent: Array<SentTransaction> = []
      for (let low = from; low <= to; low += BLOCKS_A_READ) {
        const last = low + BLOCKS_A_READ - 1n < to ? low + BLOCKS_A_READ - 1n : to
        const heights = Array.from({ length: Number(last - low) + 1 }, (_, index) => low + BigInt(index))
        const found = yield* sentBetween(rpc, chain, by, {
          range: [low, last],
          list: async (client) =>
            (await Promise.all(heights.map((height) => inBlock(client, chain, accounts, height)))).flat(),
          find: async (client, id) => {
            const sent = await readById(client, chain, id)
            return sent !== undefined && accounts.includes(sent.account) ? sent : undefined
          }
        })
        sent.push(...found)
      }
      return sent
    })

    const useUp: SentTransactions["Service"]["useUp"] = Effect.fnUntraced(function*(chain, address, sequence) {
      const account = senders.get(address)
      if (account === undefined) return yield* Effect.die(new Error(`${address} is none of the solver's accounts`))
      const transaction = { to: viemHex(address), value: NOTHING, data: "0x" as Hex }
      const read = yield* rpc.call(chain, "the cost of using up a sequence", async (client) => {
        const [fees, gas] = await Promise.all([
          readFees(client),
          client.estimateGas({ account: account.address, ...transaction })
        ])
        return { fees, gas }
      })
      const fees = withBoundedTip(read.fees, yield* tipBounds(rpc, chain))
      const raw = yield* account.signTransaction({
        type: "eip1559",
        chainId: chain.id,
        nonce: Number(sequence),
        gas: withMargin(read.gas),
        // Twice what a payment offers: it has to replace a pending transaction with the same nonce.
        maxFeePerGas: fees.maxFeePerGas * 2n,
        maxPriorityFeePerGas: fees.maxPriorityFeePerGas * 2n,
        ...transaction
      })
      yield* rpc.call(chain, "using up a sequence", async (client) => {
        try {
          await client.sendRawTransaction({ serializedTransaction: raw })
        } catch (error) {
          const text = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : ""
          if (!isNonceTaken(text)) throw error
        }
      })
    })

    return SentTransactions.of({ accountsOn: () => accounts, position, lastBlockBefore, find, between, useUp })
  })
)
