/** A submitted transaction: its bytes, decoded once. All versions are executed here (legacy, 0 and 1). */
import type {
  Address,
  CompiledTransactionMessage,
  CompiledTransactionMessageWithLifetime,
  Transaction
} from "@solana/kit"
import { getBase58Decoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from "@solana/kit"
import type { Account } from "./Account.ts"

type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime

export interface Submitted {
  readonly bytes: Uint8Array
  readonly transaction: Transaction
  readonly message: Message
  /** Base58 of the first signature, which names the transaction. */
  readonly signature: string
  readonly blockhash: string
  readonly payer: Address
}

/** Why the bytes are not a transaction. */
export class Undecodable extends Error {}

const lookupTableProgram = "AddressLookupTab1e1111111111111111111111111"
/** The offset of the addresses in a lookup table. */
const TABLE_HEADER = 56

const decode = (bytes: Uint8Array) => {
  try {
    const transaction = getTransactionDecoder().decode(bytes)
    return { transaction, message: getCompiledTransactionMessageDecoder().decode(transaction.messageBytes) }
  } catch (cause) {
    throw new Undecodable(`failed to deserialize solana_transaction::versioned::VersionedTransaction: ${String(cause)}`)
  }
}

/** Reads a transaction. Throws `Undecodable`. */
export const readTransaction = (bytes: Uint8Array): Submitted => {
  const { message, transaction } = decode(bytes)
  const [payer] = message.staticAccounts
  if (payer === undefined) throw new Undecodable("a transaction without accounts")
  const signature = transaction.signatures[payer]
  return {
    bytes,
    transaction,
    message,
    // Unsigned ones can be simulated.
    signature: getBase58Decoder().decode(signature ?? new Uint8Array(64)),
    blockhash: message.lifetimeToken,
    payer
  }
}

export interface SentInstruction {
  readonly program: Address | undefined
  readonly data: Uint8Array
}

/** The top-level instructions of a message of any version. */
export const instructionsOf = (message: Message): ReadonlyArray<SentInstruction> =>
  message.version === 1
    ? message.instructionHeaders.map(({ programAccountIndex }, index) => ({
      program: message.staticAccounts[programAccountIndex],
      data: Uint8Array.from(message.instructionPayloads[index]?.instructionData ?? [])
    }))
    : message.instructions.map(({ data, programAddressIndex }) => ({
      program: message.staticAccounts[programAddressIndex],
      data: Uint8Array.from(data ?? [])
    }))

export interface Loaded {
  readonly writable: ReadonlyArray<Address>
  readonly readonly: ReadonlyArray<Address>
}

/** The addresses that a transaction takes from lookup tables. litesvm refuses missing ones. */
export const loadedAddresses = (
  { message }: Submitted,
  read: (address: Address) => Account | undefined,
  addressAt: (data: Uint8Array, offset: number) => Address
): Loaded => {
  const lookups = message.version === 0 ? message.addressTableLookups ?? [] : []
  const pick = (indices: (lookup: (typeof lookups)[number]) => ReadonlyArray<number>) =>
    lookups.flatMap((lookup) => {
      const table = read(lookup.lookupTableAddress)
      if (table?.owner !== lookupTableProgram) return []
      return indices(lookup)
        .map((index) => TABLE_HEADER + index * 32)
        .filter((offset) => offset + 32 <= table.data.length)
        .map((offset) => addressAt(table.data, offset))
    })
  return {
    writable: pick(({ writableIndexes }) => writableIndexes),
    readonly: pick(({ readonlyIndexes }) => readonlyIndexes)
  }
}
