/** Puts the pools into a new chain: program, mints, vaults with their balances, and the lookup table of routes. */
import { getAddressEncoder } from "@solana/kit"
import type { Address } from "@solana/kit"
import { address } from "@solana/kit"
import type { Account } from "../node/Account.ts"
import type { Chain } from "../node/Chain.ts"
import { tableProgram } from "../node/LookupTable.ts"
import { tokenProgram } from "../node/TokenAccount.ts"
import type { Mint } from "../Mints.ts"
import {
  authority,
  lookupTable,
  passed,
  poolBytes,
  pools,
  program,
  programBytes,
  sharedAccount,
  swapMints,
  tableAddresses,
  wrappedSol
} from "./Pools.ts"

const programLoader = address("BPFLoader2111111111111111111111111111111111")

const bytesOf = (key: Address) => getAddressEncoder().encode(key)

/** An initialised mint whose supply is in the pools. No more can be minted. */
const mintBytes = ({ decimals }: Mint, supply: bigint): Uint8Array => {
  const data = Buffer.alloc(82)
  data.writeBigUInt64LE(supply, 36)
  data[44] = decimals
  data[45] = 1
  return new Uint8Array(data)
}

const TOKEN_ACCOUNT = 165

/** An account of the authority. Wrapped SOL states which part of its lamports is rent. */
const tokenBytes = (mint: Mint, amount: bigint, rent: bigint): Uint8Array => {
  const data = Buffer.alloc(TOKEN_ACCOUNT)
  data.set(bytesOf(mint.address))
  data.set(bytesOf(authority), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  if (mint === wrappedSol) {
    data.writeUInt32LE(1, 109)
    data.writeBigUInt64LE(rent, 113)
  }
  return new Uint8Array(data)
}

const tableBytes = (addresses: ReadonlyArray<Address>): Uint8Array => {
  const data = Buffer.alloc(56 + addresses.length * 32)
  data.writeUInt32LE(1, 0)
  data.writeBigUInt64LE((1n << 64n) - 1n, 4)
  for (const [index, key] of addresses.entries()) data.set(bytesOf(key), 56 + index * 32)
  return new Uint8Array(data)
}

export const installPools = (chain: Chain): void => {
  const rentOf = (bytes: number) => chain.bank.svm.minimumBalanceForRentExemption(BigInt(bytes))
  const account = (data: Uint8Array, owner: Address, more: Partial<Account> = {}): Account => ({
    lamports: rentOf(data.length),
    data,
    owner,
    executable: false,
    ...more
  })
  const hold = (key: Address, mint: Mint, amount: bigint): void => {
    const rent = rentOf(TOKEN_ACCOUNT)
    chain.setAccount(
      key,
      account(tokenBytes(mint, amount, rent), tokenProgram, { lamports: rent + (mint === wrappedSol ? amount : 0n) })
    )
  }
  chain.setAccount(program, account(programBytes(), programLoader, { executable: true }))
  chain.setAccount(wrappedSol.address, account(mintBytes(wrappedSol, 0n), tokenProgram))
  const sides = pools.flatMap((pool) => pool.sides)
  for (const mint of swapMints) {
    const supply = sides.reduce((sum, side) => side.mint === mint ? sum + side.reserve : sum, 0n)
    chain.setAccount(mint.address, account(mintBytes(mint, supply), tokenProgram))
  }
  for (const pool of pools) chain.setAccount(pool.address, account(poolBytes(pool), program))
  for (const { mint, reserve, vault } of sides) hold(vault, mint, reserve)
  for (const mint of passed) hold(sharedAccount(mint), mint, 0n)
  chain.setAccount(lookupTable, account(tableBytes(tableAddresses), tableProgram))
}
