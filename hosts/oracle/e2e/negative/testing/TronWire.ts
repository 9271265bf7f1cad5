/** A Tron node that shows given transactions at `/jsonrpc`, `/wallet` and `/walletsolidity`, and nothing else. */
import { Effect } from "effect"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import { serveNodes } from "./NodeServer.ts"

export const SOLID = 4_000
const HEAD = 4_019
const LATER = 1_900_000_000

/** A log: its hex has 0x everywhere, and it has its index in the block. */
interface ShownLog {
  readonly address: string
  readonly topics: ReadonlyArray<string | null>
  readonly data: string
  readonly index: number
}

export interface ShownTransaction {
  readonly id: string
  readonly rawHex: string
  readonly succeeded: boolean
  readonly height: number
  /** Seconds. */
  readonly time: number
  readonly logs: ReadonlyArray<ShownLog>
}

/** What the node of one chain shows. */
export interface Shown {
  readonly transactions: ReadonlyArray<ShownTransaction>
  /** Times of blocks in seconds; blocks without one are later than everything. */
  readonly times?: Readonly<Record<number, number>>
  /** Whether the depository reports a request as used, by the request's 64 digits. */
  readonly isUsed?: (id: string) => boolean
}

const blockId = (height: number, { id }: Chain): string =>
  height === 0
    ? `${"0".repeat(56)}${id.toString(16).padStart(8, "0")}`
    : `${height.toString(16).padStart(16, "0")}${"e".repeat(48)}`

const timeAt = ({ times, transactions }: Shown, height: number): number =>
  times?.[height] ?? transactions.find((each) => each.height === height)?.time ?? LATER

const header = (chain: Chain, shown: Shown, height: number) => ({
  blockID: blockId(height, chain),
  block_header: { raw_data: { ...(height === 0 ? {} : { number: height }), timestamp: timeAt(shown, height) * 1_000 } }
})

const receipt = (chain: Chain, { height, id, logs, succeeded }: ShownTransaction) => ({
  transactionHash: `0x${id}`,
  blockHash: `0x${blockId(height, chain)}`,
  blockNumber: `0x${height.toString(16)}`,
  status: succeeded ? "0x1" : "0x0",
  logs: logs.map(({ index, ...each }) => ({ ...each, logIndex: `0x${index.toString(16)}`, transactionHash: `0x${id}` }))
})

interface Asked {
  readonly method?: unknown
  readonly params?: ReadonlyArray<unknown>
  readonly value?: unknown
  readonly id_or_num?: unknown
  readonly parameter?: unknown
}

const answerOf = (chain: Chain, shown: Shown, path: string, asked: Asked): unknown => {
  switch (path) {
    case "/jsonrpc": {
      const found = shown.transactions.find(({ id }) => `0x${id}` === asked.params?.[0])
      return {
        jsonrpc: "2.0",
        id: 1,
        result: asked.method === "eth_chainId"
          ? `0x${chain.id.toString(16)}`
          : found === undefined
          ? null
          : receipt(chain, found)
      }
    }
    case "/wallet/gettransactionbyid": {
      const found = shown.transactions.find(({ id }) => id === asked.value)
      return found === undefined
        ? {}
        : { txID: found.id, raw_data_hex: found.rawHex, ret: [{ contractRet: found.succeeded ? "SUCCESS" : "REVERT" }] }
    }
    case "/wallet/getblock":
      return header(chain, shown, asked.id_or_num === undefined ? HEAD : Number(asked.id_or_num))
    case "/walletsolidity/getblock":
      return header(chain, shown, asked.id_or_num === undefined ? SOLID : Number(asked.id_or_num))
    case "/walletsolidity/triggerconstantcontract":
      return {
        result: { result: true },
        constant_result: [(shown.isUsed?.(String(asked.parameter)) === true ? "1" : "0").padStart(64, "0")]
      }
    default:
      return { Error: "no such method" }
  }
}

/** `shownOn` is called for each call, with the chain that the path names. */
export const tronNode = (chains: ReadonlyArray<Chain>, shownOn: (chain: Chain) => Shown) =>
  serveNodes((asking, posted) => {
    const [, slug = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(asking) ?? []
    const chain = chains.find((each) => each.slug === slug)
    const asked = JSON.parse(posted) as Asked
    return JSON.stringify(chain === undefined ? [] : answerOf(chain, shownOn(chain), path, asked))
  }).pipe(Effect.map((url) => ({ urlOf: (chain: Chain) => `${url}/${chain.slug}` })))
