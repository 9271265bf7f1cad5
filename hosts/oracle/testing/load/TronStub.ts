/**
 * A Tron node for load. It has every deposit of TronDeposits.ts in one solidified block, and expects requests in that
 * order. `node TronStub.ts PORT CHAIN_ID`
 */
import { createServer } from "node:http"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { AMOUNT, depositAt, user } from "./TronDeposits.ts"
import type { TronDeposit } from "./TronDeposits.ts"

const [port = "0", chainId = "1"] = process.argv.slice(2)
const SOLID = 5_000
const PLACE = 4_900
const number = Number(chainId).toString(16)
const hashAt = (height: number) =>
  height === 0 ? number.padStart(64, "0") : height.toString(16).padStart(16, "0").padEnd(64, "e")
const header = (height: number) => ({
  blockID: hashAt(height),
  block_header: { raw_data: { number: height, timestamp: 1_700_000_000_000 } }
})
const word = (digits: string) => digits.padStart(64, "0")

/** Made ahead of the requests, so that no answer waits for it. */
const AHEAD = 2_000
const made = new Map<string, TronDeposit>()
const make = (count: number): void => {
  for (let next = made.size; next < count; next += 1) {
    const deposit = depositAt(next)
    made.set(deposit.id, deposit)
  }
}
make(AHEAD)
let asked = 0

const receiptOf = ({ id, orderId }: TronDeposit) => ({
  transactionHash: `0x${id}`,
  blockHash: `0x${hashAt(PLACE)}`,
  blockNumber: `0x${PLACE.toString(16)}`,
  status: "0x1",
  logs: [{
    address: addressOf("Depository").toLowerCase(),
    topics: ["0x8032066556caf3967d8fec4ad22a2d9e1e9576556b2903a0fcd5b1fd201e3477"],
    data: `0x${word(user.slice(2))}${word(AMOUNT.toString(16))}${orderId}`,
    logIndex: "0x0",
    transactionHash: `0x${id}`
  }]
})

/** A depository with no used withdrawals, for the comparison with the configuration. */
const facts: Readonly<Record<string, string>> = {
  eth_chainId: `0x${number}`,
  eth_getCode: "0x60",
  eth_call: `0x${word("")}`
}

const rpc = ({ id, method = "", params: [first] = [] }: Asked) => {
  const deposit = typeof first === "string" ? made.get(first.slice(2)) : undefined
  return { jsonrpc: "2.0", id, result: facts[method] ?? (deposit === undefined ? null : receiptOf(deposit)) }
}

const transactionOf = ({ value = "" }: Asked) => {
  const deposit = made.get(value)
  if (deposit === undefined) return {}
  asked += 1
  make(asked + AHEAD)
  return { txID: deposit.id, raw_data_hex: deposit.rawHex, ret: [{ contractRet: "SUCCESS" }] }
}

interface Asked {
  readonly id?: number
  readonly method?: string
  readonly params?: ReadonlyArray<unknown>
  readonly value?: string
  readonly id_or_num?: string
}

const answers: Readonly<Record<string, (asked: Asked) => unknown>> = {
  "/jsonrpc": rpc,
  "/wallet/gettransactionbyid": transactionOf,
  "/wallet/getblock": ({ id_or_num = `${SOLID + 19}` }) => header(Number(id_or_num)),
  "/walletsolidity/getblock": ({ id_or_num = `${SOLID}` }) => header(Number(id_or_num))
}

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    const body = Buffer.from(
      JSON.stringify(answers[request.url ?? ""]?.(JSON.parse(Buffer.concat(chunks).toString()) as Asked) ?? {})
    )
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  })
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"))
