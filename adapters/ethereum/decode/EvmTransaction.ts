/** Converts a transaction and its receipt from viem's form to the form that deposits and payments are decoded from. */
import { addressCodec } from "../../../src/domain/families/index.ts"
import { Result } from "effect"
import type { Log, Transaction, TransactionReceipt } from "viem"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import type { EvmLog, EvmTransaction } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"

const { parse } = addressCodec("ethereum-vm")

/** Throws for text that no node may answer. Only called where a throw means that the endpoint is of no use. */
const accountOf = (text: string): Address => Result.getOrThrow(parse(text.toLowerCase()))

const hexOf = (text: string): Hex => Hex.make(`0x${text.slice(2).toLowerCase()}`)

const logOf = ({ address, data, logIndex, topics }: Log<bigint, number, false>): EvmLog => ({
  address: accountOf(address),
  topics: topics.map((topic) => topic.toLowerCase()),
  data: hexOf(data),
  logIndex
})

/** Both must belong to the same transaction. */
export const evmTransaction = (
  { from, input, to, value }: Pick<Transaction, "from" | "to" | "input" | "value">,
  { logs }: Pick<TransactionReceipt, "logs">
): EvmTransaction => ({
  from: accountOf(from),
  to: to === null ? undefined : accountOf(to),
  input: hexOf(input),
  value,
  logs: logs.map(logOf)
})
