/**
 * `/jsonrpc`: Ethereum's methods as a Tron node answers them. Ids are Tron's, times are in seconds, memos are missing,
 * and state is read at the latest block only.
 */
import { Schema } from "effect"
import { keccak256 } from "viem/utils"
import { toEvm } from "../Account.ts"
import type { EvmAddress } from "../Account.ts"
import type { EvmCall } from "../Evm.ts"
import type { Executed, Place, TronBlock } from "../Ledger.ts"
import { rootOf, witness } from "../Ledger.ts"
import { logsOf } from "./EthLogs.ts"
import { hex, pick } from "./Hex.ts"
import { RpcRefusal } from "../../../RpcRefusal.ts"
import { invalidParams } from "./InvalidParams.ts"
import { REVERTED } from "./Told.ts"
import type { View } from "./View.ts"

export type Methods = Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>

const ZEROS = { bloom: `0x${"0".repeat(512)}`, hash: `0x${"0".repeat(64)}`, nonce: `0x${"0".repeat(16)}` }

const CallArguments = Schema.Struct({
  from: Schema.optionalKey(Schema.String),
  to: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.String)
})

const hashIn = (value: unknown): string => {
  if (typeof value !== "string" || !/^(0x)?[0-9a-f]{64}$/iu.test(value)) throw invalidParams("invalid hash value")
  return value.replace(/^0x/u, "").toLowerCase()
}

const accountIn = (value: unknown): EvmAddress => {
  try {
    return toEvm(String(value))
  } catch {
    throw invalidParams("invalid address hash value")
  }
}

/** Only the latest block's state is available. */
const requireLatest = (tag: unknown): void => {
  if (tag === undefined || tag === "latest") return
  if (tag === "earliest" || tag === "pending" || tag === "finalized" || tag === "safe") {
    throw invalidParams("TAG [earliest | pending | finalized] not supported")
  }
  if (typeof tag === "string" && /^0x[0-9a-f]+$/iu.test(tag)) {
    throw invalidParams("QUANTITY not supported, just support TAG as latest")
  }
  throw invalidParams("invalid block number")
}

/** Value and recipient of the transaction in the EVM's form. A memo is not an input. */
const contentOf = ({ transaction: { raw_data: { contract: [{ parameter: { value } }] } } }: Executed) => {
  if ("to_address" in value) {
    return { from: toEvm(value.owner_address), to: toEvm(value.to_address), value: hex(value.amount), input: "0x" }
  }
  if ("contract_address" in value) {
    return {
      from: toEvm(value.owner_address),
      to: toEvm(value.contract_address),
      value: hex(value.call_value ?? 0),
      input: `0x${value.data ?? ""}`
    }
  }
  return { from: toEvm(value.owner_address), to: null, value: hex(value.new_contract.call_value ?? 0), input: "0x" }
}

const transactionOf = ({ block, executed, index }: Place) => {
  const signature = (executed.transaction.signature[0] ?? "").replace(/^0x/u, "").padEnd(130, "0")
  const parity = Number.parseInt(signature.slice(128), 16)
  return {
    blockHash: `0x${block.id}`,
    blockNumber: hex(block.number),
    gas: hex(executed.energy),
    gasPrice: "0x0",
    hash: `0x${executed.transaction.txID}`,
    nonce: ZEROS.nonce,
    transactionIndex: hex(index),
    type: "0x0",
    ...contentOf(executed),
    r: `0x${signature.slice(0, 64)}`,
    s: `0x${signature.slice(64, 128)}`,
    v: hex(parity < 27 ? parity + 27 : parity)
  }
}

const receiptOf = (place: Place) => {
  const { block, executed, index } = place
  const { from, to } = contentOf(executed)
  const before = block.executed.slice(0, index)
  return {
    blockHash: `0x${block.id}`,
    blockNumber: hex(block.number),
    contractAddress: executed.created === undefined ? null : toEvm(executed.created),
    cumulativeGasUsed: hex(before.reduce((sum, { energy }) => sum + energy, executed.energy)),
    effectiveGasPrice: "0x0",
    from,
    to,
    gasUsed: hex(executed.energy),
    logs: logsOf(block).filter(({ transactionHash }) => transactionHash === `0x${executed.transaction.txID}`),
    logsBloom: ZEROS.bloom,
    status: executed.result === "SUCCESS" ? "0x1" : "0x0",
    transactionHash: `0x${executed.transaction.txID}`,
    transactionIndex: hex(index),
    type: "0x0"
  }
}

const places = (block: TronBlock): ReadonlyArray<Place> =>
  block.executed.map((executed, index) => ({ block, executed, index }))

const tellBlock = (block: TronBlock, full: boolean) => ({
  baseFeePerGas: "0x0",
  difficulty: "0x0",
  extraData: "0x",
  gasLimit: hex(block.executed.reduce((sum, { transaction }) => sum + (transaction.raw_data.fee_limit ?? 0), 0)),
  gasUsed: hex(block.executed.reduce((sum, { energy }) => sum + energy, 0)),
  hash: `0x${block.id}`,
  logsBloom: ZEROS.bloom,
  miner: toEvm(witness),
  mixHash: ZEROS.hash,
  nonce: ZEROS.nonce,
  number: hex(block.number),
  parentHash: `0x${block.parent}`,
  receiptsRoot: ZEROS.hash,
  sha3Uncles: ZEROS.hash,
  size: hex(200 + block.executed.reduce((sum, { transaction }) => sum + transaction.raw_data_hex.length / 2, 0)),
  stateRoot: "0x",
  timestamp: hex(Math.floor(block.timestamp / 1000)),
  totalDifficulty: "0x0",
  transactions: full
    ? places(block).map(transactionOf)
    : block.executed.map(({ transaction }) => `0x${transaction.txID}`),
  transactionsRoot: `0x${rootOf(block)}`,
  uncles: []
})

export const blockOf = (view: View, tag: unknown): TronBlock | undefined => {
  if (tag === "latest") return view.tip
  if (tag === "earliest") return view.block(0)
  if (tag === "finalized") return view.chain.ledger.solid
  if (tag === "pending" || tag === "safe") throw invalidParams(`TAG ${tag} not supported`)
  if (typeof tag !== "string" || !/^0x[0-9a-f]+$/iu.test(tag)) throw invalidParams("invalid block number")
  return view.block(Number(tag))
}

export const ethMethods = (view: View): Methods => {
  const { chain: { evm, ledger } } = view
  const at = () => view.tip.evmHeight
  const callIn = (value: unknown): EvmCall => {
    const { data, from, input, to, value: sent } = Schema.decodeUnknownSync(CallArguments)(value)
    return {
      from: from === undefined ? `0x${"0".repeat(40)}` : accountIn(from),
      ...(to === undefined ? {} : { to: accountIn(to) }),
      data: data ?? input ?? "0x",
      value: BigInt(sent ?? 0)
    }
  }
  const byHash = (value: unknown) => view.byHash(hashIn(value))
  const nth = (block: TronBlock | undefined, index: unknown) => {
    const place = block === undefined ? undefined : places(block)[Number(index)]
    return place === undefined ? null : transactionOf(place)
  }
  const logs = (filter: unknown) => {
    const asked = pick(filter)
    const only = asked.blockHash === undefined ? undefined : byHash(asked.blockHash)
    if (asked.blockHash !== undefined && only === undefined) throw invalidParams("invalid block hash")
    const first = only?.number ?? blockOf(view, asked.fromBlock ?? "latest")?.number ?? view.tip.number + 1
    const last = only?.number ?? blockOf(view, asked.toBlock ?? "latest")?.number ?? view.tip.number
    if (last - first > 5_000) throw invalidParams("exceed max block range: 5000")
    return [...ledger.from(first, Math.min(last, view.tip.number))].flatMap((block) => logsOf(block, asked))
  }
  return {
    eth_chainId: () => hex(ledger.chainId),
    net_version: () => hex(ledger.chainId),
    net_listening: () => true,
    net_peerCount: () => "0x0",
    web3_clientVersion: () => "TRON/v4.8.0/Linux/Java1.8/causeway-local",
    web3_sha3: ([data]) => keccak256(`0x${String(data).replace(/^0x/u, "")}`),
    eth_protocolVersion: () => "0x1f",
    eth_syncing: () => false,
    eth_accounts: () => [],
    eth_gasPrice: () => "0x0",
    eth_blockNumber: () => hex(view.tip.number),
    eth_getBlockByNumber: ([tag, full]) => {
      const block = blockOf(view, tag)
      return block === undefined ? null : tellBlock(block, full === true)
    },
    eth_getBlockByHash: ([id, full]) => {
      const block = byHash(id)
      return block === undefined ? null : tellBlock(block, full === true)
    },
    eth_getBlockTransactionCountByNumber: ([tag]) => {
      const block = blockOf(view, tag)
      return block === undefined ? null : hex(block.executed.length)
    },
    eth_getBlockTransactionCountByHash: ([id]) => {
      const block = byHash(id)
      return block === undefined ? null : hex(block.executed.length)
    },
    eth_getTransactionByHash: ([id]) => {
      const place = view.placeOf(hashIn(id))
      return place === undefined ? null : transactionOf(place)
    },
    eth_getTransactionByBlockNumberAndIndex: ([tag, index]) => nth(blockOf(view, tag), index),
    eth_getTransactionByBlockHashAndIndex: ([id, index]) => nth(byHash(id), index),
    eth_getTransactionReceipt: ([id]) => {
      const place = view.placeOf(hashIn(id))
      return place === undefined ? null : receiptOf(place)
    },
    eth_getBlockReceipts: ([tag]) => {
      const block = blockOf(view, tag)
      return block === undefined ? null : places(block).map(receiptOf)
    },
    eth_getLogs: ([filter]) => logs(filter),
    eth_call: async ([call, tag]) => {
      requireLatest(tag)
      const { data, message, succeeded } = await evm.call(callIn(call), at())
      if (!succeeded) throw new RpcRefusal(-32000, message.includes("revert") ? REVERTED : message)
      return data
    },
    eth_estimateGas: async ([call]) => hex(await evm.estimate(callIn(call), at())),
    eth_getBalance: async ([account, tag]) => {
      requireLatest(tag)
      return hex(await evm.balance(accountIn(account), at()))
    },
    eth_getCode: ([account, tag]) => {
      requireLatest(tag)
      return evm.code(accountIn(account), at())
    },
    eth_getStorageAt: ([account, slot, tag]) => {
      requireLatest(tag)
      return evm.storage(accountIn(account), String(slot), at())
    }
  }
}
