/** Blocks and transactions in the JSON of Tron's HTTP interface. As at a node, zero and empty members are left out. */
import type { Executed, Place, TronBlock } from "../Ledger.ts"
import { rootOf, witness } from "../Ledger.ts"
import type { Transaction } from "../Transaction.ts"

const VERSION = 31

/** A node's message about a revert, in its form: the hex of UTF-8. */
export const inHex = (text: string): string => Buffer.from(text, "utf8").toString("hex")

export const REVERTED = "REVERT opcode executed"
const OUT_OF_ENERGY = "Not enough energy for the call"

export const tellTransaction = ({ raw_data, raw_data_hex, signature, txID }: Transaction, ret?: string) => ({
  ...(ret === undefined ? {} : { ret: [{ contractRet: ret }] }),
  ...(signature.length === 0 ? {} : { signature }),
  txID,
  raw_data,
  raw_data_hex
})

export const tellExecuted = (executed: Executed) => tellTransaction(executed.transaction, executed.result)

export const tellHeader = (block: TronBlock) => ({
  blockID: block.id,
  block_header: {
    raw_data: {
      ...(block.number === 0 ? {} : { number: block.number }),
      txTrieRoot: rootOf(block),
      witness_address: witness,
      parentHash: block.parent,
      version: VERSION,
      timestamp: block.timestamp
    },
    witness_signature: "00".repeat(65)
  }
})

export const tellBlock = (block: TronBlock) => ({
  ...tellHeader(block),
  ...(block.executed.length === 0 ? {} : { transactions: block.executed.map(tellExecuted) })
})

export const tellInfo = ({ block, executed }: Place) => {
  const {
    answer,
    created,
    energy,
    fee,
    feeBefore,
    logs,
    result,
    transaction: { raw_data: { contract: [{ parameter: { value }, type }] }, txID }
  } = executed
  const called = created ?? ("contract_address" in value ? value.contract_address : undefined)
  return {
    id: txID,
    fee: Number(fee),
    blockNumber: block.number,
    blockTimeStamp: block.timestamp,
    contractResult: [answer],
    ...(called === undefined ? {} : { contract_address: called }),
    receipt: {
      ...(energy === 0 ? {} : { energy_fee: Number(fee - feeBefore), energy_usage_total: energy }),
      net_fee: Number(feeBefore),
      ...(type === "TransferContract" ? {} : { result })
    },
    ...(logs.length === 0 ? {} : { log: logs }),
    ...(result === "SUCCESS"
      ? {}
      : { result: "FAILED", resMessage: inHex(result === "REVERT" ? REVERTED : OUT_OF_ENERGY) })
  }
}
