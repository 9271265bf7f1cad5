/** The logs of a block in the form of `eth_getLogs` and receipts, and which of them match a filter. */
import { toEvm } from "../Account.ts"
import type { TronBlock } from "../Ledger.ts"
import { hex } from "./Hex.ts"
import { invalidParams } from "./InvalidParams.ts"

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

const accounts = (value: unknown): ReadonlySet<string> | undefined => {
  if (value === undefined || value === null) return undefined
  try {
    return new Set(list(value).map((each) => toEvm(String(each))))
  } catch {
    throw invalidParams("invalid address")
  }
}

/** One position of the filter's topics: any, one, or one of several. */
const fits = (asked: unknown, topic: string | undefined): boolean =>
  asked === null || asked === undefined ||
  (topic !== undefined && list(asked).some((each) => String(each).toLowerCase() === topic))

export const logsOf = (block: TronBlock, filter: Readonly<Record<string, unknown>> = {}) => {
  const wanted = accounts(filter.address)
  const topicsAsked = Array.isArray(filter.topics) ? filter.topics : []
  const all = block.executed.flatMap(({ logs, transaction }, index) => logs.map((log) => ({ log, transaction, index })))
  return all.map(({ index, log, transaction }, place) => ({
    address: `0x${log.address}`,
    blockHash: `0x${block.id}`,
    blockNumber: hex(block.number),
    data: `0x${log.data}`,
    logIndex: hex(place),
    removed: false,
    topics: log.topics.map((topic) => `0x${topic}`),
    transactionHash: `0x${transaction.txID}`,
    transactionIndex: hex(index)
  })).filter(({ address, topics }) =>
    (wanted === undefined || wanted.has(address)) && topicsAsked.every((asked, place) => fits(asked, topics[place]))
  )
}
