/**
 * A Bitcoin node for load. It has every deposit of BitcoinDeposits.ts in one final block, and expects requests in that
 * order. `node BitcoinStub.ts PORT GENESIS_HASH`
 */
import { createServer } from "node:http"
import { depositAt, user } from "./BitcoinDeposits.ts"

const [port = "0", genesisHash = ""] = process.argv.slice(2)
const HEAD = 5_000
const PLACE = 4_900
const hashAt = (height: number) => height.toString(16).padStart(64, "e")
const heightOf = (hash: string) => Number.parseInt(hash.replace(/^e+/, ""), 16)
const spent = [{ prevout: { scriptPubKey: { hex: Buffer.from(user.script).toString("hex") } } }]

/** Made ahead of the requests, so that no answer waits for it. */
const AHEAD = 2_000
const made = new Map<string, string>()
const makeUpTo = (count: number): void => {
  for (let at = made.size; at < count; at += 1) {
    const transaction = depositAt(at)
    made.set(transaction.getId(), transaction.toHex())
  }
}
makeUpTo(AHEAD)
let asked = 0

const transactionOf = (id: string) => {
  const hex = made.get(id)
  if (hex === undefined) return null
  asked += 1
  makeUpTo(asked + AHEAD)
  return { hex, blockhash: hashAt(PLACE), vin: spent }
}

const answers: Readonly<Record<string, (first: never) => unknown>> = {
  getblockchaininfo: () => ({ blocks: HEAD, bestblockhash: hashAt(HEAD) }),
  getblockhash: (height: number) => height === 0 ? genesisHash : hashAt(height),
  getblockheader: (hash: string) => ({ hash, height: heightOf(hash), time: 1_700_000_000 }),
  getrawtransaction: transactionOf
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<never>
}

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString()) as ReadonlyArray<Call>
    const body = Buffer.from(
      JSON.stringify(
        calls.map(({ id, method, params: [first] }) => ({
          id,
          error: null,
          result: answers[method]?.(first as never) ?? null
        }))
      )
    )
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  })
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"))
