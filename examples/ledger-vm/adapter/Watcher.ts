/** The port `DepositWatcher`: transfers into the depository, read from a cursor on. */
import { Effect, Layer, Result } from "effect"
import { type Chain, type Deposit, onchainId, parseTransactionId } from "causeway-kit"
import { type Cursor, DepositWatcher, type FinalityNow, type Head, type Scan, type Standing } from "causeway-kit/ports"
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
 * The transfers after the cursor. If the cursor's hash shows a reorg, everything that is not final is read again. If
 * the node is behind the cursor, nothing is returned and the cursor stays.
 */
export const historyAfter = async (client: LedgerClient, cursor: Cursor, account?: string) => {
  const found = await client.get(ask.history(cursor.height, account))
  if (found.known === cursor.hash) return found
  if (
    found.known === null && BigInt(found.final.height) <= cursor.height && BigInt(found.head.height) <= cursor.height
  ) {
    return { ...found, upTo: undefined, transfers: [] }
  }
  const from = BigInt(found.final.height) < cursor.height ? found.final.height : cursor.height
  return client.get(ask.history(from, account))
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

    const standing = (chain: Chain, deposit: Deposit) =>
      rpc.call(chain, "deposit standing", async (client): Promise<Standing> => {
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
        // Gone only when its block is no longer part of the chain. A node that is behind cannot know.
        const { block } = await client.get(ask.block(deposit.block.height))
        return block === undefined && BigInt(head.height) < deposit.block.height || block?.hash === deposit.block.hash
          ? behind()
          : { _tag: "Gone" }
      })

    return DepositWatcher.of({
      head: (chain) => rpc.call(chain, "head", async (client) => headOf((await client.get(ask.ledger)).head)),
      scan,
      standing,
      look: (chain, transactionId) =>
        rpc.call(chain, "deposits of a transfer", async (client) => {
          const { transfer: record } = await client.get(ask.transfer(transactionId))
          return record === undefined ? undefined : depositsIn(chain, record)
        }),
      finality: (chain, height) =>
        rpc.call(chain, "finality", async (client): Promise<FinalityNow> => {
          const { block, final } = await client.get(ask.block(height ?? 0n))
          return {
            found: height === undefined ? undefined : block?.hash,
            newest: { height: BigInt(final.height), hash: final.hash }
          }
        })
    })
  })
)
