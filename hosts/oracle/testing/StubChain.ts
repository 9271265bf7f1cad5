/** A JSON-RPC node within the test's process, whose transactions are what the last digit of their id says. */
import { Effect } from "effect"
import { createServer } from "node:http"
import { anyFree } from "../../localnet/nodes/Port.ts"

const BLOCK = `0x${"cd".repeat(32)}`
const HIGH = "0xff"
const pad = (digits: string) => digits.padStart(64, "0")

/** Ids of transactions of each kind. */
const kinds = { deposit: "0", reverted: "1", pending: "2", unknown: "3", refused: "4", plain: "5" } as const
export type Kind = keyof typeof kinds

let count = 0
/** A transaction of the kind that nobody has asked for. */
export const idOf = (kind: Kind) => `0x${(count += 1).toString(16).padStart(63, "0")}${kinds[kind]}`

const kindOf = (id: string): Kind | undefined =>
  (Object.keys(kinds) as ReadonlyArray<Kind>).find((kind) => kinds[kind] === id.at(-1))

const deposited = (depository: string, hash: string) => ({
  address: depository,
  topics: ["0x8032066556caf3967d8fec4ad22a2d9e1e9576556b2903a0fcd5b1fd201e3477"],
  data: `0x${pad("11".repeat(20))}${pad("5")}${"ee".repeat(32)}`,
  logIndex: "0x0",
  transactionHash: hash
})

/** What the node says; undefined when it refuses. */
const resultOf = (chainId: number, depository: string, method: string, first: string): unknown => {
  const kind = kindOf(first)
  const height = kind === "pending" ? HIGH : "0x10"
  switch (method) {
    case "eth_chainId":
      return `0x${chainId.toString(16)}`
    case "eth_getCode":
      return "0x60"
    case "eth_call":
      return `0x${pad("")}`
    case "eth_getBlockByNumber":
      return { hash: BLOCK, number: first === HIGH ? HIGH : "0x10", timestamp: "0x65000000" }
    case "eth_getTransactionByHash":
      if (kind === "refused") return undefined
      return kind === "unknown"
        ? null
        : { hash: first, from: `0x${"11".repeat(20)}`, to: depository, input: "0x", value: "0x5" }
    case "eth_getTransactionReceipt":
      return kind === "unknown" ? null : {
        transactionHash: first,
        blockHash: BLOCK,
        blockNumber: height,
        status: kind === "reverted" ? "0x0" : "0x1",
        logs: kind === "deposit" || kind === "pending" ? [deposited(depository, first)] : []
      }
    default:
      return undefined
  }
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Its URL. The scope ends it. */
export const stubChain = ({ chainId, depository }: { readonly chainId: number; readonly depository: string }) =>
  Effect.gen(function*() {
    const port = yield* anyFree
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
        const calls = JSON.parse(Buffer.concat(chunks).toString()) as ReadonlyArray<Call>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(
          calls.map(({ id, method, params: [first] }) => {
            const result = resultOf(chainId, depository, method, typeof first === "string" ? first : "")
            return {
              jsonrpc: "2.0",
              id,
              ...(result === undefined ? { error: { code: -32_000, message: "no" } } : { result })
            }
          })
        ))
      })
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    return `http://127.0.0.1:${port}`
  })
