/**
 * A JSON-RPC node for soak runs. Its transactions' ids say what they are (`Claims.ts`), and it fails on request: `POST
 * /mode/<mode>`. `node FaultyNode.ts PORT CHAIN_ID DEPOSITORY`.
 */
import { createServer } from "node:http"

const [port = "0", chainId = "1", depository = "0x"] = process.argv.slice(2)
const [FINAL, BEYOND] = ["0x10", "0x20"]
const pad = (digits: string) => digits.padStart(64, "0")
const hashOf = (number: string) => `0x${pad(number.slice(2))}`
let mode = "truth"

const kindOf = (id: string) => id.slice(2, 4)
/** The amount that the transaction deposits; a liar reports one more. */
const amountOf = (id: string) => (BigInt(`0x${id.slice(-6)}`) + (mode === "liar" ? 2n : 1n)).toString(16)

const receipt = (id: string) => {
  if (kindOf(id) === "02") return null
  const number = kindOf(id) === "03" ? BEYOND : FINAL
  return {
    transactionHash: id,
    blockHash: hashOf(number),
    blockNumber: number,
    status: kindOf(id) === "01" ? "0x0" : "0x1",
    logs: kindOf(id) === "04" ? [] : [{
      address: depository,
      topics: ["0x8032066556caf3967d8fec4ad22a2d9e1e9576556b2903a0fcd5b1fd201e3477"],
      data: `0x${pad("11".repeat(20))}${pad(amountOf(id))}${"ee".repeat(32)}`,
      logIndex: "0x0",
      transactionHash: id
    }]
  }
}

const answers: Readonly<Record<string, (first: string) => unknown>> = {
  // A depository with no used withdrawals, for the comparison with the configuration.
  eth_getCode: () => "0x60",
  eth_call: () => `0x${pad("")}`,
  eth_chainId: () => `0x${Number(chainId).toString(16)}`,
  eth_getBlockByNumber: (asked) => {
    const number = asked.startsWith("0x") ? asked : FINAL
    return { hash: hashOf(number), number, timestamp: "0x65000000" }
  },
  eth_getTransactionByHash: (hash) =>
    kindOf(hash) === "02"
      ? null
      : {
        hash,
        from: `0x${"11".repeat(20)}`,
        to: depository,
        input: `0x49290c1c${pad("11".repeat(20))}${"ee".repeat(32)}`,
        value: "0x5"
      },
  eth_getTransactionReceipt: receipt
}

createServer((request, response) => {
  const chosen = /^\/mode\/(\w+)$/.exec(request.url ?? "")?.[1]
  if (chosen !== undefined) {
    mode = chosen
    return void response.end()
  }
  if (mode === "dropped") return void request.socket.destroy()
  if (mode === "dead") return void response.writeHead(503).end()
  // The caller gives up when its time is over.
  if (mode === "silent") return undefined
  const chunks: Array<Buffer> = []
  return void request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString()) as ReadonlyArray<
      { readonly id: number; readonly method: string; readonly params: ReadonlyArray<string> }
    >
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
