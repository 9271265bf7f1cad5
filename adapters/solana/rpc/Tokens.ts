/** Token accounts and mints, as the transfer service needs them: token program, account, amount. */
import { address, getAddressDecoder, getBase64Encoder } from "@solana/kit"
import type { Address } from "@solana/kit"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { extensionsOf, TRANSFER_FEE_EXTENSION } from "../decode/MintExtensions.ts"
import type { SolanaClient } from "./SolanaRpc.ts"
import { NodeIsBehind } from "./SolanaRpc.ts"
import { tokenAccountBytes } from "./TokenAccountBytes.ts"

const TOKEN_2022_PROGRAM_ADDRESS = address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")

/** An account as a node shows it. */
export interface ShownAccount {
  readonly lamports: bigint
  readonly owner: Address
  readonly executable: boolean
  readonly data: Uint8Array
}

/** In the order of the addresses. Undefined for an account that does not exist. */
export const readAccounts = async (
  client: SolanaClient,
  addresses: ReadonlyArray<Address>
): Promise<ReadonlyArray<ShownAccount | undefined>> => (await readAccountsAt(client, addresses)).accounts

/** Like `readAccounts`, with the slot of the reading. */
export const readAccountsAt = async (
  client: SolanaClient,
  addresses: ReadonlyArray<Address>
): Promise<{ readonly slot: bigint; readonly accounts: ReadonlyArray<ShownAccount | undefined> }> => {
  const { context, value } = await client.getMultipleAccounts([...addresses], {
    commitment: "confirmed",
    encoding: "base64"
  }).send()
  if (value.length !== addresses.length) throw new NodeIsBehind()
  const accounts = value.map((account) =>
    account === null ? undefined : {
      lamports: account.lamports,
      owner: account.owner,
      executable: account.executable,
      data: new Uint8Array(getBase64Encoder().encode(account.data[0]))
    }
  )
  return { slot: context.slot, accounts }
}

/** The mint of a configured token. */
export interface Mint {
  readonly address: Address
  readonly program: Address
  /** Whether the full amount arrives. */
  readonly isWhole: boolean
  /** The size of a new associated account. */
  readonly accountBytes: number
}

const known = new Map<string, Mint>()

/**
 * Cached: a mint's program never changes, nor do the extensions of its accounts. Throws for an account that is not a
 * mint.
 */
export const mintOf = async (
  client: SolanaClient,
  { id }: Chain,
  { address: text }: { readonly address: string }
): Promise<Mint> => {
  const key = `${id} ${text}`
  const before = known.get(key)
  if (before !== undefined) return before
  const mint = address(text)
  const [account] = await readAccounts(client, [mint])
  if (account === undefined) throw new NodeIsBehind()
  if (account.owner !== TOKEN_PROGRAM_ADDRESS && account.owner !== TOKEN_2022_PROGRAM_ADDRESS) {
    throw new Error("a configured currency is no mint")
  }
  const extensions = extensionsOf(account.data)
  const found: Mint = {
    address: mint,
    program: account.owner,
    isWhole: !extensions.includes(TRANSFER_FEE_EXTENSION),
    accountBytes: tokenAccountBytes(account.owner === TOKEN_2022_PROGRAM_ADDRESS ? extensions : undefined)
  }
  known.set(key, found)
  return found
}

/** The associated account of an owner for a token, whether it exists or not. */
export const tokenAccountOf = async (mint: Mint, owner: Address): Promise<Address> => {
  const [account] = await findAssociatedTokenPda({ mint: mint.address, owner, tokenProgram: mint.program })
  return account
}

/** Where a token account keeps its owner, and its amount. */
const OWNER_AT = 32
const AMOUNT_AT = 64

/** True for an account that is still to be opened. Anybody can send lamports to its address before. */
export const isMissing = (account: ShownAccount | undefined): boolean =>
  account === undefined || (account.owner === SYSTEM_PROGRAM_ADDRESS && account.data.length === 0)

/** The lamports that opening the account takes. Zero for one that is open. `rent`: what it must hold. */
export const rentToOpen = (account: ShownAccount | undefined, rent: bigint): bigint => {
  const held = account?.lamports ?? 0n
  return isMissing(account) && held < rent ? rent - held : 0n
}

/**
 * SECURITY: a wallet can hand its associated account to another owner, and the address stays the same. Oracles count
 * what an owner gained, so tokens in such an account pay nobody.
 */
export const isOwnedBy = ({ data }: ShownAccount, owner: Address): boolean =>
  data.length >= AMOUNT_AT && getAddressDecoder().decode(data, OWNER_AT) === owner

/** Smallest units in a token account. Zero when there is none. */
export const tokensIn = (account: ShownAccount | undefined): bigint =>
  account === undefined || account.data.length < AMOUNT_AT + 8
    ? 0n
    : new DataView(account.data.buffer, account.data.byteOffset, account.data.byteLength).getBigUint64(AMOUNT_AT, true)
