/** What a node answers to calls of Tron's HTTP interface and of its JSON-RPC. It takes no transactions. */
import { Result } from "effect"
import { Address } from "../../../src/domain/chain/Address.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import { chainIds } from "../Terms.ts"
import { call, isContract } from "./Contracts.ts"
import type { Log } from "./Contracts.ts"
import { entryOf, headOf } from "./TronLedger.ts"
import type { ChainState, Executed, Kept } from "./TronLedger.ts"

type Asked = Readonly<Record<string, unknown>>

const text = (value: unknown): string => typeof value === "string" || typeof value === "number" ? `${value}` : ""

const inHex = (words: string): string => Buffer.from(words, "utf8").toString("hex")

const quantity = (value: number): string => `0x${value.toString(16)}`

const header = ({ hash, height, parent, time }: Kept) => ({
  blockID: hash,
  block_header: { raw_data: { ...(height === 0 ? {} : { number: height }), timestamp: time, parentHash: parent } }
})

const transactionOf = ({ result, sent: { id, rawData, signature } }: Executed) => ({
  ret: [{ contractRet: result }],
  signature: [hexDigits(signature)],
  txID: id,
  raw_data_hex: hexDigits(rawData)
})

const wholeBlock = (block: Kept) => ({
  ...header(block),
  ...(block.executed.length === 0 ? {} : { transactions: block.executed.map(transactionOf) })
})

/** As logs are in answers of `/wallet`: without 0x. */
const bareLog = ({ address, data, topics }: Log) => ({
  address: address.slice(2),
  topics: topics.map((topic) => topic.slice(2)),
  data: data.slice(2)
})

const infoOf = (block: Kept, { fee, logs, result, sent: { id, transaction: { act } } }: Executed) => ({
  id,
  blockNumber: block.height,
  fee: Number(fee),
  receipt: act._tag === "Trigger" ? { result } : {},
  ...(logs.length === 0 ? {} : { log: logs.map(bareLog) }),
  ...(result === "SUCCESS" ? {} : { result: "FAILED" })
})

/** What a contract would do with a call now. */
const tried = (state: ChainState, { call_value, contract_address, data, owner_address }: Asked) => {
  const owner = Address.make(`0x${text(owner_address).slice(2)}`)
  const contract = `0x${text(contract_address).slice(2)}`
  const value = BigInt(text(call_value) || 0)
  const { balances, storage } = headOf(state)
  if (!isContract(contract) || (balances.get(owner) ?? 0n) < value) {
    return { result: { code: "CONTRACT_VALIDATE_ERROR", message: inHex("balance is not sufficient.") } }
  }
  const called = call(storage, state.weather, { owner, contract, value, input: `0x${text(data)}` })
  return called._tag === "Reverted"
    ? { result: { result: true, message: inHex("REVERT opcode executed") } }
    : {
      result: { result: true },
      energy_used: Number(called.energy),
      constant_result: [called.answer],
      logs: called.logs.map(bareLog)
    }
}

const accountOf = (state: ChainState, named: string) => {
  const account = accountOfTron(named)
  if (Result.isFailure(account)) return {}
  if (isContract(account.success)) return { address: named, type: "Contract" }
  const balance = headOf(state).balances.get(account.success)
  return balance === undefined ? {} : { address: named, ...(balance === 0n ? {} : { balance: Number(balance) }) }
}

const pricesOf = ({ prices: { bandwidth, energy, memo, mostFeeLimit, newAccount } }: ChainState) => ({
  chainParameter: [
    { key: "getTransactionFee", value: Number(bandwidth) },
    { key: "getEnergyFee", value: Number(energy) },
    { key: "getMemoFee", value: Number(memo) },
    { key: "getCreateAccountFee" },
    { key: "getCreateNewAccountFeeInSystemContract", value: Number(newAccount) },
    { key: "getMaxFeeLimit", value: Number(mostFeeLimit) }
  ]
})

/** `state`: what that part of the node has. Undefined for a method that it does not have. */
export const walletAnswer = (state: ChainState, method: string, asked: Asked): unknown => {
  const { blocks, pool } = state
  const found = () => entryOf(state, text(asked["value"]))
  switch (method) {
    case "getblock": {
      const named = text(asked["id_or_num"])
      const block = named === "" ? headOf(state) : blocks[Number(named)]
      return block === undefined ? {} : asked["detail"] === true ? wholeBlock(block) : header(block)
    }
    case "getblockbylimitnext":
      return { block: blocks.slice(Number(asked["startNum"]), Number(asked["endNum"])).map(wholeBlock) }
    case "gettransactionbyid": {
      const entry = found()
      return entry === undefined ? {} : transactionOf(entry.executed)
    }
    case "gettransactioninfobyid": {
      const entry = found()
      return entry === undefined ? {} : infoOf(entry.block, entry.executed)
    }
    case "gettransactioninfobyblocknum": {
      const block = blocks[Number(text(asked["num"]))]
      return block === undefined ? [] : block.executed.map((executed) => infoOf(block, executed))
    }
    case "gettransactionfrompending":
      return pool.some(({ id }) => id === asked["value"]) ? { txID: asked["value"] } : {}
    case "getaccount":
      return accountOf(state, text(asked["address"]))
    case "getchainparameters":
      return pricesOf(state)
    case "triggerconstantcontract":
      return tried(state, asked)
    default:
      return undefined
  }
}

const logsOf = ({ executed, hash, height }: Kept) =>
  executed.flatMap(({ logs, sent: { id } }) => logs.map((log) => ({ log, id }))).map(({ id, log }, at) => ({
    ...log,
    blockHash: `0x${hash}`,
    blockNumber: quantity(height),
    logIndex: quantity(at),
    transactionHash: `0x${id}`
  }))

const receiptOf = (block: Kept, { result, sent: { id } }: Executed) => ({
  transactionHash: `0x${id}`,
  blockHash: `0x${block.hash}`,
  blockNumber: quantity(block.height),
  status: result === "SUCCESS" ? "0x1" : "0x0",
  logs: logsOf(block).filter(({ transactionHash }) => transactionHash === `0x${id}`)
})

interface Filter {
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
  readonly address?: unknown
  readonly topics?: unknown
}

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const filtered = (state: ChainState, { address, fromBlock, toBlock, topics }: Filter) => {
  const named = isList(address) ? address : [address]
  const wanted = isList(topics) ? topics : []
  return state.blocks.slice(Number(fromBlock), Number(toBlock) + 1).flatMap(logsOf).filter((log) =>
    named.includes(log.address) && wanted.every((each, at) => !isList(each) || each.includes(log.topics[at]))
  )
}

/** Of the calls of the configuration's check, the one whose answer is not zero: no withdrawal was ever used. */
const isDecimals = (called: unknown): boolean =>
  typeof called === "object" && called !== null && "data" in called && called.data === "0x313ce567"

/** Undefined for a method that the node does not have. */
export const rpcAnswer = (state: ChainState, method: string, [first]: ReadonlyArray<unknown>): unknown => {
  switch (method) {
    case "eth_chainId":
      return quantity(chainIds.tron)
    case "eth_getCode":
      return isContract(text(first)) ? "0x60" : "0x"
    case "eth_call":
      return `0x${(isDecimals(first) ? "6" : "").padStart(64, "0")}`
    case "eth_getLogs":
      return filtered(state, typeof first === "object" && first !== null ? first : {})
    case "eth_getBlockReceipts": {
      const block = state.blocks[Number(first)]
      return block === undefined ? null : block.executed.map((executed) => receiptOf(block, executed))
    }
    case "eth_getTransactionReceipt": {
      const entry = entryOf(state, text(first).slice(2))
      return entry === undefined ? null : receiptOf(entry.block, entry.executed)
    }
    default:
      return undefined
  }
}
