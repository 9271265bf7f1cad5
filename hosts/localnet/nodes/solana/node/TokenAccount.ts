/**
 * A node's view of token accounts: mint, owner and amount, for both token programs. A Token-2022 account starts with
 * the layout of a classic one.
 */
import { getAddressDecoder } from "@solana/kit"
import type { Address } from "@solana/kit"
import { address } from "@solana/kit"
import type { Account } from "./Account.ts"
import type { TokenBalance } from "./Record.ts"

export const tokenProgram = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
export const token2022Program = address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
export const tokenPrograms: ReadonlyArray<Address> = [tokenProgram, token2022Program]

const ACCOUNT_BYTES = 165
const MINT_BYTES = 82
/** Where an extended Token-2022 account stores its kind: 1 a mint, 2 a token account. */
const KIND_AT = 165

export interface TokenHolding {
  readonly mint: Address
  readonly owner: Address
  readonly amount: bigint
}

const at = (account: Account, offset: number): Address => getAddressDecoder().decode(account.data, offset)
const view = ({ data }: Account) => new DataView(data.buffer, data.byteOffset, data.byteLength)
const isToken = (account: Account) => tokenPrograms.includes(account.owner)

/** An initialised token account. Undefined for anything else. */
export const holding = (account: Account | undefined): TokenHolding | undefined => {
  if (account === undefined || !isToken(account) || account.data.length < ACCOUNT_BYTES) return undefined
  if (account.data.length > ACCOUNT_BYTES && account.data[KIND_AT] !== 2) return undefined
  // The state: 0 is not initialised.
  if (account.data[108] === 0) return undefined
  return { mint: at(account, 0), owner: at(account, 32), amount: view(account).getBigUint64(64, true) }
}

/** Supply and decimals of an initialised mint. Undefined for anything else. */
export const mintOf = (
  account: Account | undefined
): { readonly supply: bigint; readonly decimals: number } | undefined => {
  if (account === undefined || !isToken(account) || account.data.length < MINT_BYTES) return undefined
  if (account.data.length > MINT_BYTES && account.data[KIND_AT] !== 1) return undefined
  if (account.data[45] !== 1) return undefined
  return { supply: view(account).getBigUint64(36, true), decimals: account.data[44] ?? 0 }
}

/** An amount in the form of a node's `uiTokenAmount`. */
export const uiAmount = (amount: bigint, decimals: number): TokenBalance["uiTokenAmount"] => {
  const digits = amount.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/u, "")
  const text = fraction === "" ? whole : `${whole}.${fraction}`
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text }
}

/** Balances of the token accounts among `keys`, in their order. */
export const tokenBalances = (
  keys: ReadonlyArray<Address>,
  accounts: ReadonlyArray<Account | undefined>,
  read: (address: Address) => Account | undefined
): ReadonlyArray<TokenBalance> =>
  accounts.flatMap((account, accountIndex) => {
    const held = holding(account)
    if (account === undefined || held === undefined) return []
    // This transaction itself may create or close the mint. Then it is among the keys. Otherwise it is read now.
    const among = keys.indexOf(held.mint)
    const mint = mintOf(accounts[among]) ?? mintOf(read(held.mint))
    if (mint === undefined) return []
    return [{
      accountIndex,
      mint: held.mint,
      owner: held.owner,
      programId: account.owner,
      uiTokenAmount: uiAmount(held.amount, mint.decimals)
    }]
  })
