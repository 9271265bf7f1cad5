/** The typed data with which an account of exchange A maps the nonce of its transfer to an order, signed by viem. */
import type { Hex, LocalAccount } from "viem"

export interface Mapping {
  /** The slug of the exchange. */
  readonly chain: string
  readonly wallet: Hex
  /** The wallet when left out. */
  readonly depositor?: Hex
  readonly id: Hex
  readonly nonce: number
}

export const signNonceMapping = (
  by: Pick<LocalAccount, "signTypedData">,
  { chain, id, nonce, wallet, depositor = wallet }: Mapping
): Promise<Hex> =>
  by.signTypedData({
    domain: {
      name: "RelayNonceMapping",
      version: "2",
      chainId: 42_161,
      verifyingContract: "0x0000000000000000000000000000000000000000"
    },
    types: {
      NonceMapping: [
        { name: "chainId", type: "string" },
        { name: "wallet", type: "address" },
        { name: "depositor", type: "address" },
        { name: "id", type: "bytes32" },
        { name: "nonce", type: "uint256" }
      ]
    },
    primaryType: "NonceMapping",
    message: { chainId: chain, wallet, depositor, id, nonce: BigInt(nonce) }
  })
