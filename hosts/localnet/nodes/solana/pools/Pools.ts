/**
 * The pools of the local Solana chain: their addresses, their initial balances, and the lookup tables with which a
 * route fits into a transaction. The layouts are those of src/pools.c.
 */
import { getAddressEncoder, getProgramDerivedAddress } from "@solana/kit"
import type { Address } from "@solana/kit"
import { address } from "@solana/kit"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { namedAddress } from "../node/Chain.ts"
import { tokenProgram } from "../node/TokenAccount.ts"
import type { Mint } from "../Mints.ts"
import { usdc } from "../Mints.ts"

/** The mint that represents SOL in pools: the token program's own. */
export const wrappedSol: Mint = {
  symbol: "wSOL",
  address: address("So11111111111111111111111111111111111111112"),
  program: tokenProgram,
  decimals: 9
}

/** Tokens that the solver does not hold. */
export const gem: Mint = {
  symbol: "GEM",
  address: namedAddress("causeway.localnet.solana.GEM"),
  program: tokenProgram,
  decimals: 9
}
export const ore: Mint = {
  symbol: "ORE",
  address: namedAddress("causeway.localnet.solana.ORE"),
  program: tokenProgram,
  decimals: 6
}
export const dust: Mint = {
  symbol: "DUST",
  address: namedAddress("causeway.localnet.solana.DUST"),
  program: tokenProgram,
  decimals: 6
}
export const swapMints: ReadonlyArray<Mint> = [gem, ore, dust]

export const program: Address = namedAddress("causeway.localnet.solana.pools")

export const programBytes = (): Uint8Array => new Uint8Array(readFileSync(new URL("pools.so", import.meta.url)))

/** Owns every vault, and the shared intermediate accounts. */
export const authority: Address = (await getProgramDerivedAddress({ programAddress: program, seeds: ["authority"] }))[0]

export interface Side {
  readonly mint: Mint
  readonly vault: Address
  /** Smallest units at the beginning. */
  readonly reserve: bigint
}

export interface Pool {
  readonly label: string
  readonly address: Address
  readonly sides: readonly [Side, Side]
  /** Basis points. */
  readonly fee: number
}

const sideOf = (label: string, mint: Mint, whole: bigint): Side => ({
  mint,
  vault: namedAddress(`causeway.localnet.solana.pools.${label}.${mint.symbol}`),
  reserve: whole * 10n ** BigInt(mint.decimals)
})

const pool = (
  label: string,
  fee: number,
  [a, ofA]: readonly [Mint, bigint],
  [b, ofB]: readonly [Mint, bigint]
): Pool => ({
  label,
  fee,
  address: namedAddress(`causeway.localnet.solana.pools.${label}`),
  sides: [sideOf(label, a, ofA), sideOf(label, b, ofB)]
})

/** At the prices of configs/chains.local.json. The direct pool from SOL to GEM is shallow: two hops give more. */
export const pools: ReadonlyArray<Pool> = [
  pool("Deep", 5, [wrappedSol, 100_000n], [usdc, 15_000_000n]),
  pool("Gems", 10, [usdc, 4_000_000n], [gem, 2_000_000n]),
  pool("Shallow", 30, [wrappedSol, 100n], [gem, 7_500n]),
  pool("Mine", 10, [gem, 500_000n], [ore, 1_000_000n]),
  pool("Mill", 10, [ore, 500_000n], [dust, 500_000n])
]

const name = createHash("sha256").update("account:Pool").digest().subarray(0, 8)
const bytesOf = (key: Address) => getAddressEncoder().encode(key)

/** A pool's account. */
export const poolBytes = ({ fee, sides: [a, b] }: Pool): Uint8Array => {
  const data = Buffer.alloc(139)
  data.set(name)
  for (const [index, key] of [a.mint.address, b.mint.address, a.vault, b.vault].entries()) {
    data.set(bytesOf(key), 8 + index * 32)
  }
  data.writeUInt16LE(fee, 137)
  return new Uint8Array(data)
}

/** The shared account of a token, for intermediate amounts. */
export const sharedAccount = ({ symbol }: Mint): Address =>
  namedAddress(`causeway.localnet.solana.pools.shared.${symbol}`)

/** Tokens that a route may pass through. */
export const passed: ReadonlyArray<Mint> = [wrappedSol, usdc, gem, ore, dust]

export const lookupTable: Address = namedAddress("causeway.localnet.solana.pools.table")

/** The addresses that every route names, in the order of the table. */
export const tableAddresses: ReadonlyArray<Address> = [
  address("11111111111111111111111111111111"),
  address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
  tokenProgram,
  authority,
  ...passed.flatMap((mint) => [mint.address, sharedAccount(mint)]),
  ...pools.flatMap(({ address: own, sides }) => [own, ...sides.map(({ vault }) => vault)])
]
