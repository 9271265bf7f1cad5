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

/** viem says that every transaction has all of them. Those with a list of calls (EIP-8130) have only a sender. */
type Sent = Pick<Transaction, "from"> & { readonly [K in "to" | "input" | "value"]?: Transaction[K] | undefined }

/** Both must belong to the same transaction. Without `to`, `input` and `value` it calls and carries nothing (EVM-12). */
export const evmTransaction = (
  { from, input = "0x", to, value = 0n }: Sent,
  { logs }: Pick<TransactionReceipt, "logs">
): EvmTransaction => ({
  from: accountOf(from),
  to: to === null || to === undefined ? undefined : accountOf(to),
  input: hexOf(input),
  value,
  logs: logs.map(logOf)
})
