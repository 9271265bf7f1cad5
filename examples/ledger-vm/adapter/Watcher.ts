/** The port `DepositWatcher`: transfers into the depository, read from a cursor on. */
import { Effect, Layer, Result } from "effect"
import { type Chain, type Deposit, onchainId, parseTransactionId } from "causeway-kit"
import { depositRead, readFinality, readHeads, scanFinal } from "causeway-kit/adapters/endpoints"
import {
  type Cursor,
  DepositWatcher,
  type FinalityNow,
  type FinalScan,
  type Head,
  type ReadBy,
  type Scan,
  type Standing
} from "causeway-kit/ports"
import { transferFacts } from "../rules/Evidence.ts"
import type { Place, Record } from "./Answers.ts"
import { ask, behind, type LedgerClient, LedgerRpc } from "./LedgerNode.ts"

export const blockOf = ({ hash, height, time }: Place) => ({ height: BigInt(height), hash, time })

export const headOf = ({ hash, height, time }: Place): Head => ({ height: BigInt(height), hash, time })

const depositsIn = (chain: Chain, { block, id, succeeded, transfer }: Record): ReadonlyArray<Deposit> => {
  if (!succeeded) return []
  const transactionId = Result.getOrThrow(parseTransactionId(chain.family, id))
  return transferFacts(transfer, chain.depository).deposits.map((
    { amount, currency, depositId, depositor, index }
  ) => ({
    onchainId: onchainId(chain.slug, transactionId, index),
    chainId: chain.id,
    transactionId,
    index,
    block: blockOf(block),
    depositId,
    depositor,
    sender: transfer.sender,
    currency,
    amount
  }))
}

/**
 * How far a scan goes back when the cursor's block has vanished: further than a block can be replaced. Not to the final
 * block of today: after a pause of the scan, blocks below it may be others than those that were read.
 */
const REWIND_BLOCKS = 128n

/**
 * The transfers after the cursor, and after a reorg those of the blocks before it again. If the node is behind the
 * cursor, nothing is returned and the cursor stays.
 */
export const historyAfter = async (client: LedgerClient, cursor: Cursor, account?: string) => {
  const found = await client.get(ask.history(cursor.height, account))
  if (found.known === cursor.hash) return found
  if (
    found.known === null && BigInt(found.final.height) <= cursor.height && BigInt(found.head.height) <= cursor.height
  ) {
    return { ...found, upTo: undefined, transfers: [] }
  }
  return client.get(ask.history(cursor.height > REWIND_BLOCKS ? cursor.height - REWIND_BLOCKS : 0n, account))
}

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* LedgerRpc

    const scan = (chain: Chain, cursor: Cursor) =>
      rpc.call(chain, "deposit scan", async (client): Promise<Scan> => {
        const { head, transfers, upTo } = await historyAfter(client, cursor, chain.depository)
        return {
          cursor: upTo === undefined ? cursor : { height: BigInt(upTo.height), hash: upTo.hash },
          head: headOf(head),
          deposits: transfers.flatMap((record) => depositsIn(chain, record))
        }
      })

    /** One node's transfers into the depository, after the cursor and not beyond the final block. */
    const scanUpTo = async (
      client: LedgerClient,
      chain: Chain,
      cursor: Cursor,
      final: Cursor
    ): Promise<FinalScan> => {
      const { block } = await client.get(ask.block(final.height))
      if (block?.hash !== final.hash) return behind()
      const { transfers, upTo } = await historyAfter(client, cursor, chain.depository)
      if (upTo === undefined) return behind()
      const reached = BigInt(upTo.height) < final.height ? { height: BigInt(upTo.height), hash: upTo.hash } : final
      return {
        cursor: reached,
        deposits: transfers.filter(({ block: { height } }) => BigInt(height) <= reached.height)
          .flatMap((record) => depositsIn(chain, record))
      }
    }

    const standing = (chain: Chain, deposit: Deposit, by: ReadBy) =>
      rpc.witnessed(
        chain,
        depositRead(async (client: LedgerClient): Promise<Standing> => {
          const { final, head, transfer: record } = await client.get(ask.transfer(deposit.transactionId))
          const deposits = record === undefined ? [] : depositsIn(chain, record)
          const found = deposits.find((each) => each.onchainId === deposit.onchainId)
          if (record !== undefined && found !== undefined) {
            return {
              _tag: "Included",
              block: found.block,
              confirmations: head.height - record.block.height + 1,
              final: record.block.height <= final.height,
              deposits
            }
          }
          // Gone only when its block is no longer the chain's, or never held it. A node that is behind does not know.
          const { height, hash } = deposit.block
          const { block } = await client.get(ask.block(height))
          if (block === undefined && BigInt(head.height) < height) return behind()
          if (block?.hash !== hash) return { _tag: "Gone" }
          const { transfers, upTo } = await client.get(ask.history(height - 1n, chain.depository))
          const isHeld = transfers.some(({ id }) => id === deposit.transactionId)
          return isHeld || BigInt(upTo.height) < height ? behind() : { _tag: "Gone" }
        }),
        by
      )

    return DepositWatcher.of({
      head: (chain) => rpc.call(chain, "head", async (client) => headOf((await client.get(ask.ledger)).head)),
      heads: (chain, by) =>
        readHeads(rpc, chain, by, async (client) => {
          const { final, head: { hash, height } } = await client.get(ask.ledger)
          return { height: BigInt(height), hash, finalHeight: BigInt(final.height) }
        }),
      scan,
      scanFinal: (chain, from, final) => scanFinal(rpc, chain, final, (client) => scanUpTo(client, chain, from, final)),
      standing,
      look: (chain, transactionId) =>
        rpc.call(chain, "deposits of a transfer", async (client) => {
          const { transfer: record } = await client.get(ask.transfer(transactionId))
          return record === undefined ? undefined : depositsIn(chain, record)
        }),
      finality: (chain, remembered, asked) =>
        readFinality(rpc, chain, remembered, asked, async (client, height): Promise<FinalityNow> => {
          const { block, final } = await client.get(ask.block(height ?? 0n))
          return {
            found: height === undefined ? undefined : block?.hash,
            newest: { height: BigInt(final.height), hash: final.hash }
          }
        })
    })
  })
)
