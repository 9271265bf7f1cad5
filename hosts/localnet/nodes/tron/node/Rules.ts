/**
 * The rules by which a Tron node accepts a transaction, in its order and with its messages: that it is new, the owner's
 * signature, a referred block of the best branch, an expiration in the future, and an executable contract.
 */
import { Schema } from "effect"
import { recoverAddress } from "viem/utils"
import type { NodeAddress } from "./Account.ts"
import { base58Of, evmAddress, nodeAddress } from "./Account.ts"
import type { Encode } from "./Encoding.ts"
import type { Evm } from "./Evm.ts"
import { feeBefore, isNew, MOST_FEE_LIMIT, recipientOf } from "./Fees.ts"
import type { Ledger } from "./Ledger.ts"
import { Refusal } from "./Refusal.ts"
import type { RawData, Transaction } from "./Transaction.ts"
import { ownerOf, Signed } from "./Transaction.ts"

const DAY = 24 * 60 * 60 * 1000

const refuse = (words: string) => new Refusal("CONTRACT_VALIDATE_ERROR", `Contract validate error : ${words}`)

const signerOf = async (txID: string, signature: string): Promise<NodeAddress | undefined> => {
  const digits = signature.replace(/^0x/u, "")
  if (!/^[0-9a-f]{130}$/iu.test(digits)) return undefined
  return recoverAddress({ hash: `0x${txID}`, signature: `0x${digits}` }).then(nodeAddress, () => undefined)
}

/** Recomputes id and bytes from the raw data. The submitted ones must be equal. Errors: Refusal. */
export const readSigned = (submitted: unknown, encode: Encode): Transaction => {
  let signed: typeof Signed.Type
  try {
    signed = Schema.decodeUnknownSync(Signed)(submitted)
  } catch {
    throw new Refusal("OTHER_ERROR", "Error: the transaction is not one that this chain reads")
  }
  const { raw_data, signature = [] } = signed
  const encoded = encode(raw_data)
  if (
    (signed.raw_data_hex ?? encoded.raw_data_hex) !== encoded.raw_data_hex ||
    (signed.txID ?? encoded.txID) !== encoded.txID
  ) {
    throw new Refusal("OTHER_ERROR", "Error: raw_data_hex and txID are not those of raw_data")
  }
  return { ...encoded, raw_data, signature }
}

const requireSignature = async (transaction: Transaction): Promise<void> => {
  const owner = ownerOf(transaction)
  const [signature = "", ...others] = transaction.signature
  const signer = await signerOf(transaction.txID, signature)
  if (signer === owner && others.length === 0) return
  const words = signer === undefined
    ? (signature === "" ? "miss sig or contract" : "sig error")
    : `${signature} is signed by ${base58Of(evmAddress(signer))} but it is not contained of permission.`
  throw new Refusal("SIGERROR", `Validate signature error: ${words}`)
}

/** Whether the referred block is in the best branch: Tron's protection against replays on another branch. */
export const refersToBranch = ({ ref_block_bytes, ref_block_hash }: RawData, ledger: Ledger): boolean => {
  const low = Number.parseInt(ref_block_bytes, 16)
  const latest = ledger.tip.number
  const number = latest - ((latest - low) % 0x1_0000 + 0x1_0000) % 0x1_0000
  return ledger.find(number)?.id.slice(16, 32) === ref_block_hash
}

/** Whether a block at that time may hold it. */
export const isInTime = ({ expiration }: RawData, timestamp: number): boolean =>
  expiration > timestamp && expiration <= timestamp + DAY

/**
 * The rules about state, by the contract's kind. `burnt`: sun that fees have taken before. Errors:
 * CONTRACT_VALIDATE_ERROR.
 */
export const requireContract = async (
  { contract: [{ parameter: { value }, type }], fee_limit = 0 }: RawData,
  evm: Evm,
  height: number,
  burnt = 0n
): Promise<void> => {
  const owner = evmAddress(value.owner_address)
  const balance = (await evm.balance(owner, height)) - burnt
  if (type !== "TransferContract" && fee_limit > MOST_FEE_LIMIT) {
    throw refuse(`feeLimit must be >= 0 and <= ${MOST_FEE_LIMIT}`)
  }
  if ("to_address" in value) {
    if (value.to_address === value.owner_address) throw refuse("Cannot transfer TRX to yourself.")
    if (value.amount <= 0) throw refuse("Amount must be greater than 0.")
    if (balance < BigInt(value.amount)) throw refuse("Validate TransferContract error, balance is not sufficient.")
    if (await evm.code(evmAddress(value.to_address), height) !== "0x") {
      throw refuse("Cannot transfer TRX to a smartContract.")
    }
    return
  }
  const callValue = "new_contract" in value ? value.new_contract.call_value : value.call_value
  if (BigInt(callValue ?? 0) > balance) throw refuse("Validate InternalTransfer error, balance is not sufficient.")
  if ("contract_address" in value && await evm.code(evmAddress(value.contract_address), height) === "0x") {
    throw refuse("No contract or not a valid smart contract")
  }
}

export interface Standing {
  readonly ledger: Ledger
  readonly evm: Evm
  readonly isKnown: (txID: string) => boolean
}

/** Errors: Refusal, of the first rule that it breaks. */
export const requireAll = async (transaction: Transaction, { evm, isKnown, ledger }: Standing): Promise<void> => {
  const { raw_data, txID } = transaction
  if (isKnown(txID)) throw new Refusal("DUP_TRANSACTION_ERROR", "Dup transaction.")
  await requireSignature(transaction)
  if (!refersToBranch(raw_data, ledger)) throw new Refusal("TAPOS_ERROR", "Tapos check error.")
  if (!isInTime(raw_data, ledger.tip.timestamp)) {
    throw new Refusal("TRANSACTION_EXPIRATION_ERROR", "Transaction expired")
  }
  const height = ledger.tip.evmHeight
  const recipient = recipientOf(transaction)
  const fee = feeBefore(transaction, recipient !== undefined && await isNew(evm, recipient, height))
  if (await evm.balance(evmAddress(ownerOf(transaction)), height) < fee) {
    throw new Refusal("BANDWITH_ERROR", "Account resource insufficient error.")
  }
  await requireContract(raw_data, evm, height, fee)
}
