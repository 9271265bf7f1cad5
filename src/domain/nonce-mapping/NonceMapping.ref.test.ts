/** A mapping is exactly what viem signs as typed data. Anything else is refused. */
import { assert, describe, it } from "@effect/vitest"
import { privateKeyToAccount } from "viem/accounts"
import { Address } from "../chain/Address.ts"
import { ChainSlug } from "../chain/ChainId.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { isOwnMapping } from "./NonceMapping.ts"
import type { SignedNonceMapping } from "./NonceMapping.ts"

const wallet = privateKeyToAccount(`0x${"a1".repeat(32)}`)
const stranger = privateKeyToAccount(`0x${"b2".repeat(32)}`)
const id = Hex32.make(`0x${"1d".repeat(32)}`)
const nonce = 1_790_000_000_123n

const signedBy = async (by: typeof wallet, domain: object = {}, message: object = {}): Promise<SignedNonceMapping> => {
  const signature = await by.signTypedData({
    domain: {
      name: "RelayNonceMapping",
      version: "2",
      chainId: 42_161,
      verifyingContract: "0x0000000000000000000000000000000000000000",
      ...domain
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
    message: { chainId: "exchangea", wallet: wallet.address, depositor: wallet.address, id, nonce, ...message }
  })
  const account = Address.make(wallet.address.toLowerCase())
  return {
    chain: ChainSlug.make("exchangea"),
    wallet: account,
    depositor: account,
    nonce,
    id,
    signatureChainId: 42_161,
    signature: Hex.make(signature)
  }
}

describe("a nonce mapping", () => {
  it("is valid for its own wallet", async () => {
    const mapping = await signedBy(wallet)
    assert.isTrue(isOwnMapping(mapping))
    const other = Address.make(stranger.address.toLowerCase())
    for (
      const change of [
        { wallet: other },
        { depositor: other },
        { wallet: other, depositor: other },
        { nonce: nonce + 1n },
        { nonce: -1n },
        { nonce: 1n << 256n },
        { id: Hex32.make(`0x${"2d".repeat(32)}`) },
        { chain: ChainSlug.make("exchangea-testnet") },
        { signatureChainId: 1 },
        { signatureChainId: -1 },
        { signatureChainId: 0.5 },
        { signature: Hex.make("0x") },
        { signature: Hex.make(`0x${mapping.signature.slice(2, -2)}1d`) }
      ]
    ) {
      assert.isFalse(isOwnMapping({ ...mapping, ...change }), JSON.stringify(Object.keys(change)))
    }
  })

  it("is invalid for another domain, signer or depositor", async () => {
    assert.isFalse(isOwnMapping(await signedBy(stranger)))
    assert.isFalse(isOwnMapping(await signedBy(wallet, { version: "1" })))
    assert.isFalse(isOwnMapping(await signedBy(wallet, { name: "NonceMapping" })))
    assert.isFalse(isOwnMapping(await signedBy(wallet, { verifyingContract: wallet.address })))
    assert.isFalse(isOwnMapping(await signedBy(wallet, {}, { depositor: stranger.address })))
  })
})
