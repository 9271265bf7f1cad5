/** Executes the transactions of one block on the EVM, and returns what each did. */
import { keccak256 } from "viem/utils"
import type { NodeAddress } from "./Account.ts"
import { evmAddress, nodeAddress } from "./Account.ts"
import type { Evm, EvmCall } from "./Evm.ts"
import type { Executed } from "./Ledger.ts"
import type { Transaction } from "./Transaction.ts"

/** The address of a created contract. As on Tron it is derived from the transaction, not from a nonce. */
export const createdBy = (txID: string, owner: NodeAddress): NodeAddress =>
  nodeAddress(`0x${keccak256(`0x${txID}${owner}`).slice(-40)}`)

const callOf = ({ raw_data: { contract: [{ parameter: { value } }] }, txID }: Transaction): EvmCall => {
  const from = evmAddress(value.owner_address)
  if ("to_address" in value) return { from, to: evmAddress(value.to_address), value: BigInt(value.amount) }
  if ("contract_address" in value) {
    return {
      from,
      to: evmAddress(value.contract_address),
      data: `0x${value.data ?? ""}`,
      value: BigInt(value.call_value ?? 0)
    }
  }
  return {
    from,
    to: evmAddress(createdBy(txID, value.owner_address)),
    value: BigInt(value.new_contract.call_value ?? 0)
  }
}

export const isCreation = ({ raw_data: { contract: [{ type }] } }: Transaction): boolean =>
  type === "CreateSmartContract"

const executedBy = async (
  evm: Evm,
  transaction: Transaction,
  hash: string | undefined
): Promise<ReadonlyArray<Executed>> => {
  const receipt = hash === undefined ? undefined : await evm.receipt(hash)
  if (receipt === undefined) return []
  const { raw_data: { contract: [{ parameter: { value }, type }] } } = transaction
  return [{
    transaction,
    succeeded: receipt.succeeded,
    energy: type === "TransferContract" ? 0 : receipt.gasUsed,
    answer: "",
    logs: receipt.logs.map(({ address, data, topics }) => ({
      address: address.slice(2).toLowerCase(),
      topics: topics.map((topic) => topic.slice(2)),
      data: data.slice(2)
    })),
    created: type === "CreateSmartContract" ? createdBy(transaction.txID, value.owner_address) : undefined
  }]
}

/** The transactions that their owners can pay for in sequence, from their balances before the block. */
const affordable = async (evm: Evm, transactions: ReadonlyArray<Transaction>): Promise<ReadonlyArray<Transaction>> => {
  const left = new Map<string, bigint>()
  const height = await evm.height()
  const taken: Array<Transaction> = []
  for (const transaction of transactions) {
    const { from, value = 0n } = callOf(transaction)
    const after = (left.get(from) ?? await evm.balance(from, height)) - value
    if (after < 0n) continue
    left.set(from, after)
    taken.push(transaction)
  }
  return taken
}

const runTogether = async (
  evm: Evm,
  transactions: ReadonlyArray<Transaction>,
  second: number
): Promise<ReadonlyArray<Executed>> => {
  const sent: Array<readonly [Transaction, string | undefined]> = []
  for (const transaction of await affordable(evm, transactions)) {
    sent.push([transaction, await evm.send(callOf(transaction))])
  }
  await evm.mine(second)
  const done: Array<Executed> = []
  for (const [transaction, hash] of sent) done.push(...await executedBy(evm, transaction, hash))
  return done
}

/**
 * The contract's address is not one that CREATE would give. So the init code is placed there and called: it writes that
 * address's storage, and returns the final code. The EVM's blocks before and after it hold the codes.
 */
const runCreation = async (evm: Evm, transaction: Transaction, second: number): Promise<ReadonlyArray<Executed>> => {
  const call = callOf(transaction)
  const { raw_data: { contract: [{ parameter: { value } }] } } = transaction
  const { to } = call
  if (to === undefined || !("new_contract" in value)) return []
  await evm.setCode(to, `0x${value.new_contract.bytecode}`)
  await evm.mine(second)
  const code = await evm.call(call, await evm.height())
  const done = await runTogether(evm, [transaction], second)
  await evm.setCode(to, done.some(({ succeeded }) => succeeded) ? code.data : "0x")
  await evm.mine(second)
  return done
}

/** Transactions that can no longer start are left out, as by a node. */
export const execute = async (
  evm: Evm,
  transactions: ReadonlyArray<Transaction>,
  timestamp: number
): Promise<ReadonlyArray<Executed>> => {
  const second = Math.floor(timestamp / 1000)
  const [first] = transactions
  if (first === undefined) return []
  return isCreation(first) ? runCreation(evm, first, second) : runTogether(evm, transactions, second)
}
