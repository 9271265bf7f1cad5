/**
 * Deposits of an EVM chain: scanned by the depository's logs from a cursor, looked at again by their receipt.
 *
 * A reorganisation shows as a cursor block whose hash is no longer the chain's: the scan then goes back far enough to
 * meet every deposit again. Recording is idempotent, so going back too far costs time and nothing else.
 */
import { Effect, Layer, Result } from "effect"
import type { Hex, Log, PublicClient } from "viem"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import { DepositWatcher } from "../../ports/DepositWatcher.ts"
import type { Cursor, Scan, Standing } from "../../ports/DepositWatcher.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import { addressCodec } from "../../src/domain/chain/Address.ts"
import { onchainId } from "../../src/domain/settlement/ProtocolId.ts"
import type { Deposit } from "../../src/domain/transfer/Deposit.ts"
import { decodeDepositLog, depositEvents } from "./decode/DepositLog.ts"
import { viemHex } from "./ViemHex.ts"
import { EthereumRpc } from "./EthereumRpc.ts"
import { readHeads } from "./Finality.ts"
import { assertReplaced, standingReceipt } from "./Receipt.ts"

/** How far a scan goes back when the cursor's block has vanished. */
const REWIND_BLOCKS = 128n

/** Blocks that every scan looks at again: a node may know a block before it knows all of its logs. */
const OVERLAP_BLOCKS = 12n

/** Blocks one scan covers at most, so that a long absence is caught up in steps that each survive a restart. */
const MAX_RANGE = 2_000n

const MAX_REMEMBERED = 10_000

type MinedLog = Log<bigint, number, false>

/** The decoded deposit of a log together with what only the transaction and the block say. */
const completeDeposit = async (client: PublicClient, chain: Chain, log: MinedLog): Promise<Deposit | undefined> => {
  const decoded = decodeDepositLog(chain.depository, log)
  if (decoded === undefined) return undefined
  const [transaction, block] = await Promise.all([
    client.getTransaction({ hash: log.transactionHash }),
    client.getBlock({ blockHash: log.blockHash })
  ])
  const transactionId = parseTransactionId(chain.family, log.transactionHash)
  const sender = addressCodec(chain.family).parse(transaction.from)
  if (Result.isFailure(transactionId) || Result.isFailure(sender)) throw new Error("a node answered with an undecodable transaction")
  return {
    onchainId: onchainId(chain.slug, transactionId.success, log.logIndex),
    chainId: chain.id,
    transactionId: transactionId.success,
    index: log.logIndex,
    block: { height: log.blockNumber, hash: log.blockHash, time: Number(block.timestamp) },
    depositId: decoded.depositId,
    depositor: decoded.depositor,
    sender: sender.success,
    currency: decoded.currency,
    amount: decoded.amount
  }
}

/** Deposits of blocks that were looked at before, by block hash and log index: scans overlap, reads need not. */
class Completed {
  private readonly known = new Map<string, Deposit | undefined>()

  async complete(client: PublicClient, chain: Chain, log: MinedLog): Promise<Deposit | undefined> {
    const key = `${log.blockHash}:${log.logIndex}`
    if (this.known.has(key)) return this.known.get(key)
    const deposit = await completeDeposit(client, chain, log)
    if (this.known.size >= MAX_REMEMBERED) this.known.clear()
    this.known.set(key, deposit)
    return deposit
  }
}

/** The same decoding as a scan's, of one transaction; a receipt of a block that is not canonical counts as none. */
const lookAt = async (client: PublicClient, chain: Chain, hash: Hex): Promise<ReadonlyArray<Deposit> | undefined> => {
  const standing = await standingReceipt(client, hash)
  if (standing === undefined) return undefined
  const deposits: Array<Deposit> = []
  for (const log of standing.receipt.logs) {
    const deposit = await completeDeposit(client, chain, log)
    if (deposit !== undefined) deposits.push(deposit)
  }
  return deposits
}

const scanRange = async (client: PublicClient, chain: Chain, completed: Completed, from: bigint, to: bigint): Promise<ReadonlyArray<Deposit>> => {
  const logs = await client.getLogs({ address: viemHex(chain.depository), events: depositEvents, fromBlock: from, toBlock: to })
  const deposits: Array<Deposit> = []
  // In chain order, and one after the other: a range that somebody has filled with logs must not flood the node.
  for (const log of logs) {
    const deposit = await completed.complete(client, chain, log)
    if (deposit !== undefined) deposits.push(deposit)
  }
  return deposits
}

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const completed = new Completed()

    const head = (chain: Chain): Effect.Effect<Cursor, ChainUnavailable> =>
      rpc.call(chain, "head", async (client) => {
        const block = await client.getBlock()
        return { height: block.number, hash: block.hash }
      })

    const scan = (chain: Chain, cursor: Cursor): Effect.Effect<Scan, ChainUnavailable> =>
      rpc.call(chain, "deposit scan", async (client) => {
        const [latest, known] = await Promise.all([
          client.getBlock(),
          client.getBlock({ blockNumber: cursor.height }).catch(() => undefined)
        ])
        const unchanged = known?.hash === cursor.hash
        // A node that is behind the cursor has nothing to say: the cursor stays until it has caught up.
        if (latest.number < cursor.height && !unchanged) return { cursor, deposits: [] }
        if (unchanged && latest.number === cursor.height) return { cursor, deposits: [] }
        const back = unchanged ? OVERLAP_BLOCKS : REWIND_BLOCKS
        const from = cursor.height > back ? cursor.height - back : 0n
        const to = latest.number - from >= MAX_RANGE ? from + MAX_RANGE - 1n : latest.number
        const end = to === latest.number ? latest : await client.getBlock({ blockNumber: to })
        const deposits = await scanRange(client, chain, completed, from, to)
        return { cursor: { height: end.number, hash: end.hash }, deposits }
      })

    const look = (chain: Chain, transactionId: TransactionId) =>
      rpc.call(chain, "deposits of a transaction", (client) => lookAt(client, chain, viemHex(transactionId)))

    const standing = Effect.fnUntraced(function*(chain: Chain, deposit: Deposit) {
      const { found, heads } = yield* rpc.call(chain, "deposit receipt", async (client) => {
        const [heads, found] = await Promise.all([
          readHeads(client, chain),
          standingReceipt(client, viemHex(deposit.transactionId))
        ])
        if (found === undefined) await assertReplaced(client, deposit.block)
        return { heads, found: found?.receipt.status === "success" ? found : undefined }
      })
      const log = found?.receipt.logs.find((each) => each.logIndex === deposit.index)
      const decoded = log === undefined ? undefined : decodeDepositLog(chain.depository, log)
      const same = decoded !== undefined && decoded.depositId === deposit.depositId &&
        decoded.amount === deposit.amount && decoded.currency === deposit.currency
      if (found === undefined || !same) return { _tag: "Gone" } satisfies Standing
      const { receipt, time } = found
      return {
        _tag: "Included",
        block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
        confirmations: Number(heads.height - receipt.blockNumber) + 1,
        final: receipt.blockNumber <= heads.finalHeight
      } satisfies Standing
    })

    return DepositWatcher.of({ head, scan, look, standing })
  })
)
