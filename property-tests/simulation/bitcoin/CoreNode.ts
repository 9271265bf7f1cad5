/** What a node answers to calls of Bitcoin Core's JSON-RPC, with Core's messages and codes. It takes no transactions. */
import type { RpcAnswer, RpcCall } from "../../../adapters/quorum/rpc/JsonRpcPool.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { keptBy } from "../Kept.ts"
import { blockBytes } from "./BlockBytes.ts"
import { headOf, RELAY_RATE, shownAs, spentBy, withChildren } from "./CoinChain.ts"
import type { ChainState, Kept, Refusal } from "./CoinChain.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"

type Said = { readonly result: unknown } | { readonly error: Refusal }

const refused = (code: number, message: string): Said => ({ error: { code, message } })

/** In bitcoin, as Core writes amounts and rates. */
const inBitcoin = (satoshi: bigint): number => Number(satoshi) / 100_000_000

const isBest = ({ blocks }: ChainState, { header, height }: Kept): boolean =>
  blocks[height]?.header.hash === header.hash

const blockOf = (state: ChainState, hash: unknown): Kept | undefined =>
  state.blocks.find(({ header }) => header.hash === hash) ?? state.left.get(String(hash))

const headerOf = (state: ChainState, hash: unknown): Said => {
  const kept = blockOf(state, hash)
  if (kept === undefined) return refused(-5, "Block not found")
  const { header, height, parent, time } = kept
  return {
    result: {
      hash: header.hash,
      height,
      time,
      confirmations: isBest(state, kept) ? headOf(state).height - height + 1 : -1,
      ...(height === 0 ? {} : { previousblockhash: parent })
    }
  }
}

const bytesOfBlock = (state: ChainState, hash: unknown, detail: unknown): Said => {
  const kept = blockOf(state, hash)
  if (kept === undefined) return refused(-5, "Block not found")
  return {
    result: detail === 0
      ? hexDigits(blockBytes(kept.header, kept.transactions))
      : { hash: kept.header.hash, tx: kept.transactions.map(({ id }) => id) }
  }
}

const hexOf = keptBy(({ bytes }: CoinTransaction) => hexDigits(bytes))

const transactionOf = (state: ChainState, id: string, detail: unknown): Said => {
  const shown = shownAs(state, id)
  if (shown === undefined) {
    return refused(-5, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.")
  }
  const { block, transaction } = shown
  const hex = hexOf(transaction)
  if (detail === 0) return { result: hex }
  const spent = detail === 2 && !isCoinbase(transaction) ? spentBy(state, transaction) : undefined
  return {
    result: {
      hex,
      vin: transaction.inputs.map((_, at) => {
        const script = spent?.[at]?.script
        return script === undefined ? {} : { prevout: { scriptPubKey: { hex: hexDigits(script) } } }
      }),
      ...(block === undefined ? {} : { blockhash: block.header.hash })
    }
  }
}

/** `isPool`: what waits makes coins and spends them. */
const coinOf = (state: ChainState, transactionId: string, index: number, isPool: boolean): Said => {
  const coin = headOf(state).coins.get(coinName({ transactionId, index }))
  const isSpent = isPool &&
    state.pool.some(({ inputs }) =>
      inputs.some((input) => input.index === index && input.transactionId === transactionId)
    )
  const waiting = isPool ? state.pool.find(({ id }) => id === transactionId)?.outputs[index] : undefined
  const shown = coin ?? waiting
  if (isSpent || shown === undefined) return { result: null }
  return {
    result: {
      confirmations: coin === undefined ? 0 : headOf(state).height - coin.height + 1,
      coinbase: false,
      value: inBitcoin(shown.amount),
      scriptPubKey: { hex: hexDigits(shown.script) }
    }
  }
}

const pooledOf = (state: ChainState, id: string): Said => {
  const pooled = state.pool.find((each) => each.id === id)
  if (pooled === undefined) return refused(-5, "Transaction not in mempool")
  const all = withChildren(state.pool, [pooled])
  return {
    result: {
      vsize: pooled.virtualBytes,
      descendantcount: all.length,
      descendantsize: all.reduce((total, { virtualBytes }) => total + virtualBytes, 0),
      fees: {
        base: inBitcoin(pooled.fee),
        descendant: inBitcoin(all.reduce((total, { fee }) => total + fee, 0n))
      }
    }
  }
}

const said = (state: ChainState, { method, params: [first, second, third] }: RpcCall): Said => {
  const { blocks, rate } = state
  switch (method) {
    case "getblockchaininfo":
      return { result: { blocks: headOf(state).height, bestblockhash: headOf(state).header.hash } }
    case "getblockhash": {
      const kept = blocks[Number(first)]
      return kept === undefined ? refused(-8, "Block height out of range") : { result: kept.header.hash }
    }
    case "getblockheader":
      return headerOf(state, first)
    case "getblock":
      return bytesOfBlock(state, first, second)
    case "getrawtransaction":
      return transactionOf(state, String(first), second)
    case "gettxout":
      return coinOf(state, String(first), Number(second), third === true)
    case "getmempoolentry":
      return pooledOf(state, String(first))
    case "getmempoolinfo":
      return { result: { mempoolminfee: inBitcoin(RELAY_RATE) } }
    case "estimatesmartfee":
      return { result: { feerate: inBitcoin(rate), blocks: Number(first) } }
    default:
      return refused(-32_601, "Method not found")
  }
}

/** `state`: what the node has. */
export const coreAnswer = (state: ChainState, call: RpcCall, at: number): RpcAnswer => ({
  id: at + 1,
  ...said(state, call)
})
