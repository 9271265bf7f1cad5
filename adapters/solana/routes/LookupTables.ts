/** Transactions with the lookup tables of a route, and their size. */
import {
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getAddressDecoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import type { RecentBlock } from "../pay/PaymentMessage.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { readAccounts } from "../rpc/Tokens.ts"
import type { ShownAccount } from "../rpc/Tokens.ts"

/** The size of a network packet: no transaction is larger. */
export const MOST_BYTES = 1_232

/** The most compute units of a transaction. */
export const MOST_UNITS = 1_400_000

/** The units that a simulation took, with a margin. */
export const withRoom = (units: bigint): number => Math.min(MOST_UNITS, Math.ceil(Number(units) * 1.2) + 20_000)

export type Tables = Readonly<Record<Address, ReadonlyArray<Address>>>

const TABLE_PROGRAM = address("AddressLookupTab1e1111111111111111111111111")
const TABLE_HEADER = 56
const LIVE = (1n << 64n) - 1n

/** The addresses of a usable table. Empty for a closed table, or an account that is not a table. */
const addressesIn = (table: ShownAccount | undefined): ReadonlyArray<Address> => {
  if (table === undefined || table.owner !== TABLE_PROGRAM || table.data.length < TABLE_HEADER) return []
  const view = new DataView(table.data.buffer, table.data.byteOffset, table.data.byteLength)
  if (view.getBigUint64(4, true) !== LIVE) return []
  return Array.from(
    { length: Math.floor((table.data.length - TABLE_HEADER) / 32) },
    (_, index) => getAddressDecoder().decode(table.data, TABLE_HEADER + index * 32)
  )
}

/** The usable ones of these tables. */
export const readTables = async (client: SolanaClient, keys: ReadonlyArray<string>): Promise<Tables> => {
  if (keys.length === 0) return {}
  const shown = await readAccounts(client, keys.map((key) => address(key)))
  return Object.fromEntries(keys.flatMap((key, index) => {
    const listed = addressesIn(shown[index])
    return listed.length === 0 ? [] : [[key, listed] as const]
  }))
}

/** A message of the current version, which reads what it can from the tables. */
export const messageWith = (
  payer: string,
  instructions: ReadonlyArray<Instruction>,
  recent: RecentBlock,
  tables: Tables
) =>
  pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(address(payer), message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
    (message) => appendTransactionMessageInstructions([...instructions], message),
    (message) =>
      compressTransactionMessageUsingAddressLookupTables(
        message,
        Object.fromEntries(Object.entries(tables).map(([table, listed]) => [table, [...listed]]))
      )
  )
