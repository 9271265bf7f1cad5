/**
 * A Solana node for load: every requested signature is that of one and the same final deposit. `node SolanaStub.ts
 * PORT`, what it shows (`SolanaSample`) on stdin.
 */
import { base58 } from "@scure/base"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { SolanaSample } from "./SolanaSample.ts"

const [port = "0"] = process.argv.slice(2)
const { block, genesisHash, slot, transaction } = JSON.parse(readFileSync(0, "utf8")) as SolanaSample
const [text, encoding] = transaction.transaction
const wire = Buffer.from(text, "base64")

/** A transaction with one signature, which follows the number of signatures. */
const signedAs = (id: string) => {
  const bytes = Buffer.from(wire)
  bytes.set(base58.decode(id), 1)
  return { ...transaction, transaction: [bytes.toString("base64"), encoding] }
}

/** Programs and everything else that the configuration is compared with. */
const programs = (keys: ReadonlyArray<string>) => ({
  context: { slot },
  value: keys.map(() => ({
    owner: "BPFLoaderUpgradeab1e11111111111111111111111",
    executable: true,
    space: 36,
    data: ["", "base64"]
  }))
})

const answers: Readonly<Record<string, (first: never) => unknown>> = {
  getMultipleAccounts: programs,
  getGenesisHash: () => genesisHash,
  getSlot: () => slot,
  getBlock: () => block,
  getTransaction: signedAs
}

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    // One call for each request: the oracle sends it no batches.
    const { id, method, params: [first = ""] } = JSON.parse(Buffer.concat(chunks).toString()) as {
      readonly id: number
      readonly method: string
      readonly params: ReadonlyArray<string>
    }
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(first as never) ?? null }))
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  })
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"))
