/** A token with balances on exchange A. */

export interface Token {
  readonly name: string
  /** 0x and 32 hex digits. */
  readonly tokenId: string
  readonly weiDecimals: number
}

export const USDC: Token = { name: "USDC", tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054", weiDecimals: 8 }
