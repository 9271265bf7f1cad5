/**
 * The tokens of the local Solana chain, at addresses without a private key: USDC of the classic token program, and FEE
 * of Token-2022, which withholds one percent of every transfer.
 */
import type { Address, Instruction } from "@solana/kit"
import { AccountRole, getAddressEncoder } from "@solana/kit"
import { getInitializeMint2Instruction } from "@solana-program/token"
import { namedAddress } from "./node/Chain.ts"
import { token2022Program, tokenProgram } from "./node/TokenAccount.ts"

export interface Mint {
  readonly symbol: string
  readonly address: Address
  readonly program: Address
  readonly decimals: number
  /** The amount withheld from a transfer: basis points, and the maximum. */
  readonly fee?: { readonly basisPoints: number; readonly most: bigint } | undefined
}

export const usdc: Mint = {
  symbol: "USDC",
  address: namedAddress("causeway.localnet.solana.USDC"),
  program: tokenProgram,
  decimals: 6
}
export const feeToken: Mint = {
  symbol: "FEE",
  address: namedAddress("causeway.localnet.solana.FEE"),
  program: token2022Program,
  decimals: 6,
  fee: { basisPoints: 100, most: 5_000_000n }
}
export const mints: ReadonlyArray<Mint> = [usdc, feeToken]

/** A Token-2022 mint with its kind and the extension of transfer fees (108 bytes after a header of 4). */
const EXTENDED_MINT = 166 + 4 + 108

export const mintSpace = ({ fee }: Mint): number => fee === undefined ? 82 : EXTENDED_MINT

/**
 * TransferFeeExtension (26), InitializeTransferFeeConfig (0). No account may change it or collect the withheld amounts.
 */
const initializeFee = ({ address, program }: Mint, { basisPoints, most }: NonNullable<Mint["fee"]>): Instruction => {
  const data = Buffer.alloc(14)
  data.set([26, 0, 0, 0])
  data.writeUInt16LE(basisPoints, 4)
  data.writeBigUInt64LE(most, 6)
  return { programAddress: program, accounts: [{ address, role: AccountRole.WRITABLE }], data: new Uint8Array(data) }
}

/** Makes a mint in an account that has the space and is empty. */
export const initializeMint = (mint: Mint, authority: Address): ReadonlyArray<Instruction> => [
  ...(mint.fee === undefined ? [] : [initializeFee(mint, mint.fee)]),
  getInitializeMint2Instruction({ mint: mint.address, decimals: mint.decimals, mintAuthority: authority }, {
    programAddress: mint.program
  })
]

export const addressBytes = (address: Address): Uint8Array => new Uint8Array(getAddressEncoder().encode(address))
