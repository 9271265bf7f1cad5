/** What an Esplora explorer answers to the paths that the service asks, below its base. Amounts in satoshi. */
import { Result } from "effect"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { keptByText } from "../Kept.ts"
import { headOf, spentBy } from "./CoinChain.ts"
import type { ChainState } from "./CoinChain.ts"
import { NETWORK } from "./Terms.ts"

const scriptOf = keptByText((address) => Result.getOrUndefined(scriptOfAddress(address, NETWORK)))

const isOf = (address: string, { script }: Pick<BtcOutput, "script">): boolean => {
  const owned = scriptOf(address)
  return owned !== undefined && sameBytes(owned, script)
}

/** What waits spends a coin, too. */
const spenderOf = (state: ChainState, transactionId: string, index: number) => {
  const waiting = state.pool.find(({ inputs }) =>
    inputs.some((input) => input.index === index && input.transactionId === transactionId)
  )
  const id = headOf(state).spenders.get(coinName({ transactionId, index })) ?? waiting?.id
  return id === undefined ? { spent: false } : { spent: true, txid: id }
}

/** The outputs of what waits are coins, and what it spends is none. */
const coinsOf = (state: ChainState, address: string) =>
  [
    ...[...headOf(state).coins.values()].map((coin) => ({ ...coin, confirmed: true })),
    ...state.pool.flatMap(({ id, outputs }) =>
      outputs.map((output, index) => ({ ...output, transactionId: id, index, confirmed: false }))
    )
  ].filter((coin) => isOf(address, coin) && !spenderOf(state, coin.transactionId, coin.index).spent)
    .map(({ amount, confirmed, index, transactionId }) => ({
      txid: transactionId,
      vout: index,
      value: Number(amount),
      status: { confirmed }
    }))

const waitingOf = (state: ChainState, address: string) =>
  state.pool.flatMap((transaction) => {
    const spent = spentBy(state, transaction) ?? []
    return [...spent, ...transaction.outputs].some((each) => isOf(address, each)) ? [{ transaction, spent }] : []
  }).map(({ spent, transaction: { inputs } }) => ({
    vin: inputs.map(({ index, transactionId }, at) => ({
      txid: transactionId,
      vout: index,
      prevout: spent.slice(at, at + 1).some((each) => isOf(address, each)) ? { scriptpubkey_address: address } : {}
    }))
  }))

/** Undefined for a path that it does not serve. */
export const esploraAnswer = (state: ChainState, path: string): unknown => {
  const [first, second = "", third, fourth] = path.split("/").slice(1)
  if (path === "/blocks/tip/height") return headOf(state).height
  if (path === "/fee-estimates") return { 1: Number(state.rate) / 1_000 }
  if (first === "tx" && third === "outspend") return spenderOf(state, second, Number(fourth))
  if (first === "address" && third === "utxo") return coinsOf(state, second)
  return first === "address" && third === "txs" && fourth === "mempool" ? waitingOf(state, second) : undefined
}
