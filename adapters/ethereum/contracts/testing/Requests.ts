/** Withdrawal requests of the depository for tests: build, sign as the allocator does, encode, tamper. */
import type { Address, Hex, LocalAccount } from "viem"
import { encodeFunctionData, numberToHex, parseSignature, serializeSignature } from "viem"
import { abi } from "../artifacts/Depository.ts"

export interface RequestCall {
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly allowFailure: boolean
}

export interface Request {
  readonly calls: ReadonlyArray<RequestCall>
  readonly nonce: bigint
  readonly expiration: bigint
}

export const TYPES = {
  CallRequest: [
    { name: "calls", type: "Call[]" },
    { name: "nonce", type: "uint256" },
    { name: "expiration", type: "uint256" }
  ],
  Call: [
    { name: "to", type: "address" },
    { name: "data", type: "bytes" },
    { name: "value", type: "uint256" },
    { name: "allowFailure", type: "bool" }
  ]
} as const

export const FAR = 4_000_000_000n

export const request = (
  calls: ReadonlyArray<Partial<RequestCall> & { to: Address }>,
  more: Partial<Request> = {}
): Request => ({
  calls: calls.map((call) => ({ data: "0x", value: 0n, allowFailure: false, ...call })),
  nonce: 1n,
  expiration: FAR,
  ...more
})

export const sign = (signer: LocalAccount, depository: Address, chainId: number, message: Request): Promise<Hex> => {
  if (signer.signTypedData === undefined) throw new Error("this account cannot sign")
  return signer.signTypedData({
    domain: { name: "RelayDepository", version: "1", chainId, verifyingContract: depository },
    types: TYPES,
    primaryType: "CallRequest",
    message
  })
}

export const executeData = (message: Request, signature: Hex): Hex =>
  encodeFunctionData({ abi, functionName: "execute", args: [message, signature] })

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other signature that the curve accepts for the same digest: high s, and the other recovery bit. */
export const malleated = (signature: Hex): Hex => {
  const { r, s, yParity } = parseSignature(signature)
  return serializeSignature({ r, s: numberToHex(ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity })
}
