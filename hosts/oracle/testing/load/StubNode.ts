/**
 * A JSON-RPC node for load: every requested transaction has deposited into the depository and is final. `node
 * StubNode.ts PORT CHAIN_ID DEPOSITORY`; GET /counts returns calls and requests.
 */
import { createServer } from "node:http"

const [port = "0", chainId = "1", depository = "0x"] = process.argv.slice(2)
const BLOCK = `0x${"cd".repeat(32)}`
const pad = (digits: string) => digits.padStart(64, "0")
const counts = { requests: 0, calls: 0 }

const answers: Readonly<Record<string, (id: string) => unknown>> = {
  // A depository with no used withdrawals, for the comparison with the configuration.
  eth_getCode: () => "0x60",
  eth_call: () => `0x${pad("")}`,
  eth_chainId: () => `0x${Number(chainId).toString(16)}`,
  eth_getBlockByNumber: () => ({ hash: BLOCK, number: "0x10", timestamp: "0x65000000" }),
  eth_getTransactionByHash: (hash) => ({
    hash,
    from: `0x${"11".repeat(20)}`,
    to: depository,
    input: `0x49290c1c${pad("11".repeat(20))}${"ee".repeat(32)}`,
    value: "0x5"
  }),
  eth_getTransactionReceipt: (hash) => ({
    transactionHash: hash,
    blockHash: BLOCK,
    blockNumber: "0x10",
    status: "0x1",
    logs: [{
      address: depository,
      topics: ["0x8032066556caf3967d8fec4ad22a2d9e1e9576556b2903a0fcd5b1fd201e3477"],
      data: `0x${pad("11".repeat(20))}${pad("5")}${"ee".repeat(32)}`,
      logIndex: "0x0",
      transactionHash: hash
    }]
  })
}

createServer((request, response) => {
  if (request.method === "GET") return response.end(JSON.stringify(counts))
  const chunks: Array<Buffer> = []
  return request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString()) as ReadonlyArray<
      { readonly id: number; readonly method: string; readonly params: ReadonlyArray<string> }
    >
    counts.requests += 1
    counts.calls += calls.length
    const body = Buffer.from(
      JSON.stringify(
        calls.map(({ id, method, params: [first = ""] }) => ({
          jsonrpc: "2.0",
          id,
          result: answers[method]?.(first) ?? null
        }))
      )
    )
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  })
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"))
