/** A Bitcoin node and an explorer that show given transactions, and nothing else. */
import type { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"

const HEAD = 5_000

/** A transaction as it stands: what its inputs spend, and how many blocks are on top of its own. */
export interface ShownTransaction {
  readonly transaction: Transaction
  readonly spent: ReadonlyArray<Uint8Array>
  readonly time: number
  readonly confirmations: number
}

/** What the node of one chain shows. A coin that no transaction spends is there. */
export interface Shown {
  readonly transactions: ReadonlyArray<ShownTransaction>
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
export const spentBy = ({ hash, index }: Transaction["ins"][number]): string => `${hexOf(hash.toReversed())}:${index}`

const hashAt = (height: number): string => height.toString(16).padStart(64, "e")
const heightOf = ({ confirmations }: ShownTransaction, at: number): number => HEAD - confirmations - (confirmations > 6 ? at : 0)

const find = ({ transactions }: Shown, id: unknown) => {
  const at = transactions.findIndex(({ transaction }) => transaction.getId() === id)
  const shown = transactions[at]
  return shown === undefined ? undefined : { shown, height: heightOf(shown, at) }
}

const absent = { code: -5, message: "No such mempool or blockchain transaction. Use gettransaction for wallet transactions." }

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

interface Call {
  readonly id: number
  readonly method: unknown
  readonly params: ReadonlyArray<unknown>
}

/** `shownOn` is asked for each call, by the chain that the path names; the explorer is that of the first chain. */
export const bitcoinNode = (chains: ReadonlyArray<Chain>, shownOn: (chain: Chain) => Shown) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
          const [first] = chains
          const [, id = "", index = ""] = /^\/api\/tx\/(\w+)\/outspend\/(\d+)$/.exec(request.url ?? "") ?? []
          if (id !== "" && first !== undefined) return void response.end(JSON.stringify(outspend(shownOn(first), `${id}:${index}`)))
          const chain = chains.find(({ slug }) => `/${slug}` === request.url)
          const calls = JSON.parse(Buffer.concat(chunks).toString()) as ReadonlyArray<Call>
          response.end(JSON.stringify(chain === undefined ? [] : calls.map(({ id: call, method, params }) => ({ id: call, ...answerOf(chain, shownOn(chain), method, params) }))))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ url }) => ({ urlOf: (chain: Chain) => `${url}/${chain.slug}`, explorerUrl: `${url}/api` })))
