/** A Bitcoin node and an explorer that show given transactions, and nothing else. */
import type { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import type { Call } from "./NodeServer.ts"
import { serveNodes } from "./NodeServer.ts"

const HEAD = 5_000

/** A transaction and its state: what its inputs spend, and how many blocks are on top of its own. */
export interface ShownTransaction {
  readonly transaction: Transaction
  readonly spent: ReadonlyArray<Uint8Array>
  readonly time: number
  readonly confirmations: number
}

/** What the node of one chain shows. A coin that no transaction spends exists. */
export interface Shown {
  readonly transactions: ReadonlyArray<ShownTransaction>
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
export const spentBy = ({ hash, index }: Transaction["ins"][number]): string => `${hexOf(hash.toReversed())}:${index}`

const hashAt = (height: number): string => height.toString(16).padStart(64, "e")
const heightOf = ({ confirmations }: ShownTransaction, at: number): number =>
  HEAD - confirmations - (confirmations > 6 ? at : 0)

const find = ({ transactions }: Shown, id: unknown) => {
  const at = transactions.findIndex(({ transaction }) => transaction.getId() === id)
  const shown = transactions[at]
  return shown === undefined ? undefined : { shown, height: heightOf(shown, at) }
}

const absent = {
  code: -5,
  message: "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."
}

const answerOf = ({ genesisHash }: Chain, shown: Shown, method: unknown, [of]: ReadonlyArray<unknown>): object => {
  switch (method) {
    case "getblockchaininfo":
      return { result: { blocks: HEAD, bestblockhash: hashAt(HEAD) } }
    case "getblockhash":
      return { result: of === 0 ? genesisHash : hashAt(Number(of)) }
    case "getblockheader": {
      const height = Number.parseInt(String(of).replace(/^e+/, ""), 16)
      const placed = shown.transactions.find((each, at) => heightOf(each, at) === height)
      return { result: { hash: of, height, time: placed?.time ?? 1_900_000_000 } }
    }
    case "gettxout":
      return { result: { confirmations: 100 } }
    case "getrawtransaction": {
      const found = find(shown, of)
      return found === undefined ? { error: absent } : {
        result: {
          hex: found.shown.transaction.toHex(),
          blockhash: hashAt(found.height),
          vin: found.shown.spent.map((script) => ({ prevout: { scriptPubKey: { hex: hexOf(script) } } }))
        }
      }
    }
    default:
      return { error: { code: -32_601, message: "Method not found" } }
  }
}

const outspend = ({ transactions }: Shown, coin: string) => {
  const spender = transactions.find(({ transaction }) => transaction.ins.some((input) => spentBy(input) === coin))
  return spender === undefined ? { spent: false } : { spent: true, txid: spender.transaction.getId() }
}

/** `shownOn` is called for each call, with the chain that the path names. The explorer is that of the first chain. */
export const bitcoinNode = (chains: ReadonlyArray<Chain>, shownOn: (chain: Chain) => Shown) =>
  serveNodes((path, posted) => {
    const [first] = chains
    const [, id = "", index = ""] = /^\/api\/tx\/(\w+)\/outspend\/(\d+)$/.exec(path) ?? []
    if (id !== "" && first !== undefined) return JSON.stringify(outspend(shownOn(first), `${id}:${index}`))
    const chain = chains.find(({ slug }) => `/${slug}` === path)
    const calls = JSON.parse(posted) as ReadonlyArray<Call>
    return JSON.stringify(
      chain === undefined
        ? []
        : calls.map(({ id: call, method, params }) => ({
          id: call,
          ...answerOf(chain, shownOn(chain), method, params)
        }))
    )
  }).pipe(Effect.map((url) => ({ urlOf: (chain: Chain) => `${url}/${chain.slug}`, explorerUrl: `${url}/api` })))
