/** Executes the transactions of one block on the EVM, and returns what each did. */
import { keccak256 } from "viem/utils"
import type { EvmAddress, NodeAddress } from "./Account.ts"
import { evmAddress, nodeAddress } from "./Account.ts"
import type { Evm, EvmCall, EvmReceipt } from "./Evm.ts"
import { energyLimit, feeBefore, intrinsicGas, isNew, prices, recipientOf } from "./Fees.ts"
import type { Executed, Log } from "./Ledger.ts"
import { ownerOf } from "./Transaction.ts"
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

/** A log of the EVM in a node's form. */
export const logOf = ({ address, data, topics }: EvmReceipt["logs"][number]): Log => ({
  address: address.slice(2).toLowerCase(),
  topics: topics.map((topic) => topic.slice(2)),
  data: data.slice(2)
})

/** A transaction that its owner can pay for. */
interface Started {
  readonly transaction: Transaction
  readonly feeBefore: bigint
  readonly energyLimit: number
  readonly call: EvmCall
}

const outcomeOf = (
  { call: { data = "0x" }, energyLimit, feeBefore, transaction }: Started,
  { gasUsed, succeeded }: EvmReceipt
): Pick<Executed, "energy" | "fee" | "feeBefore" | "result"> => {
  const isTransfer = transaction.raw_data.contract[0].type === "TransferContract"
  const energy = isTransfer ? 0 : Math.max(0, gasUsed - intrinsicGas(data))
  const isSpent = !isTransfer && energy >= energyLimit
  return {
    result: succeeded ? "SUCCESS" : isSpent ? "OUT_OF_ENERGY" : "REVERT",
    energy,
    feeBefore,
    fee: feeBefore + BigInt(energy * prices.energy)
  }
}

const executedBy = async (
  evm: Evm,
  started: Started,
  hash: string | undefined
): Promise<ReadonlyArray<Executed>> => {
  const receipt = hash === undefined ? undefined : await evm.receipt(hash)
  if (receipt === undefined) return []
  const { transaction } = started
  const { raw_data: { contract: [{ parameter: { value }, type }] } } = transaction
  return [{
    transaction,
    ...outcomeOf(started, receipt),
    answer: "",
    logs: receipt.logs.map(logOf),
    created: type === "CreateSmartContract" ? createdBy(transaction.txID, value.owner_address) : undefined
  }]
}

/**
 * The transactions that their owners can pay for in sequence, from their balances before the block. Each keeps back what
 * it may burn, whether it burns that or not.
 */
const affordable = async (evm: Evm, transactions: ReadonlyArray<Transaction>): Promise<ReadonlyArray<Started>> => {
  const left = new Map<string, bigint>()
  const created = new Set<string>()
  const height = await evm.height()
  const taken: Array<Started> = []
  for (const transaction of transactions) {
    const { data = "0x", ...call } = callOf(transaction)
    const { from, value = 0n } = call
    const recipient = recipientOf(transaction)
    const creates = recipient !== undefined && !created.has(recipient) && await isNew(evm, recipient, height)
    const before = feeBefore(transaction, creates)
    const rest = (left.get(from) ?? await evm.balance(from, height)) - value - before
    if (rest < 0n) continue
    const limit = recipient === undefined ? energyLimit(transaction, rest) : 0
    left.set(from, rest - BigInt(limit * prices.energy))
    if (creates) created.add(recipient)
    const gas = limit + intrinsicGas(data)
    taken.push({ transaction, feeBefore: before, energyLimit: limit, call: { ...call, data, gas } })
  }
  return taken
}

const runTogether = async (
  evm: Evm,
  transactions: ReadonlyArray<Transaction>,
  second: number
): Promise<ReadonlyArray<Executed>> => {
  const sent: Array<readonly [Started, string | undefined]> = []
  for (const started of await affordable(evm, transactions)) sent.push([started, await evm.send(started.call)])
  await evm.mine(second)
  const done: Array<Executed> = []
  for (const [started, hash] of sent) done.push(...await executedBy(evm, started, hash))
  return done
}

/** Burns the fees, in an EVM block after those of the transactions. */
const burn = async (evm: Evm, done: ReadonlyArray<Executed>, second: number): Promise<void> => {
  const owed = new Map<EvmAddress, bigint>()
  for (const { fee, transaction } of done) {
    const owner = evmAddress(ownerOf(transaction))
    owed.set(owner, (owed.get(owner) ?? 0n) + fee)
  }
  const height = await evm.height()
  for (const [owner, fee] of owed) await evm.setBalance(owner, (await evm.balance(owner, height)) - fee)
  if (owed.size > 0) await evm.mine(second)
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
  await evm.setCode(to, done.some(({ result }) => result === "SUCCESS") ? code.data : "0x")
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
  const done = await (isCreation(first) ? runCreation(evm, first, second) : runTogether(evm, transactions, second))
  await burn(evm, done, second)
  return done
}
