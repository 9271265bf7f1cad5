/**
 * A permit as a transaction: a call of the chain's Forwarder with the signature (STEP-8, STEP-10), and its gas bounds.
 */
import { encodeFunctionData, hexToNumber, size, slice } from "viem"
import type { Hex } from "viem"
import type { PermitCall } from "../../../ports/chain/PaymentKinds.ts"
import type { PermitKind } from "../../../src/domain/permit/Permit.ts"
import { abi } from "../contracts/artifacts/Forwarder.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/**
 * Gas of a whole transaction that submits a permit (contracts/README.md), with a margin for the token's own code. The
 * user pays for this much.
 */
export const PERMIT_GAS: Readonly<Record<PermitKind, bigint>> = {
  eip3009: 150_000n,
  permit2: 160_000n,
  eip2612: 210_000n
}

/**
 * Bytes of state (PRICE-29): `left`, what the deposit leaves, which the user pays for; `most`, what is there at once while
 * it is made, with what the Forwarder holds and allows. A token notes that a signature is used. EIP-2612's is used by a
 * Puller, an account with 21 bytes of code.
 */
export const PERMIT_STATE: Readonly<Record<PermitKind, { readonly left: bigint; readonly most: bigint }>> = {
  eip3009: { left: 64n, most: 192n },
  permit2: { left: 64n, most: 192n },
  eip2612: { left: 205n, most: 333n }
}

/** The gas limit. It is higher, because part of the gas is refunded at the end of a transaction, and tokens differ. */
export const permitGasLimit = (kind: PermitKind, overhead: bigint): bigint => (PERMIT_GAS[kind] * 16n) / 10n + overhead

/** The calldata of one with a usual signature. */
const PERMIT_BYTES = 324

/** The calldata that the user pays for: overhead that was asked for pays for more of it, as dear as it can be. */
export const permitBytes = (overhead: bigint): number => PERMIT_BYTES + Number(overhead / 40n)

/** The most calldata, with the gas limit's margin. Several owners of a contract sign one after the other. */
export const mostPermitBytes = (overhead: bigint): number => Math.floor((permitBytes(overhead) * 16) / 10)

interface PermitBody {
  readonly to: Hex
  readonly value: bigint
  readonly data: Hex
}

/** EIP-2612 takes 65 bytes: r, s, and v, which the token itself checks. */
const signatureParts = (signature: Hex): { readonly v: number; readonly r: Hex; readonly s: Hex } | undefined =>
  size(signature) === 65
    ? { r: slice(signature, 0, 32), s: slice(signature, 32, 64), v: hexToNumber(slice(signature, 64, 65)) }
    : undefined

/** Undefined for a signature that this kind cannot take. */
export const permitBody = (
  { amount, deadline, forwarder, kind, orderId, owner, signature, token }: PermitCall
): PermitBody | undefined => {
  const permitted = {
    owner: viemHex(owner),
    token: viemHex(token),
    amount,
    orderId: viemHex(orderId),
    deadline: BigInt(deadline)
  }
  // Unchanged: a contract's signature has a format of its own.
  const signed = viemHex(signature)
  const call = (data: Hex): PermitBody => ({ to: viemHex(forwarder), value: 0n, data })
  switch (kind) {
    case "eip3009":
      return call(encodeFunctionData({ abi, functionName: "depositWithAuthorization", args: [permitted, signed] }))
    case "permit2":
      return call(encodeFunctionData({ abi, functionName: "depositWithPermit2", args: [permitted, signed] }))
    case "eip2612": {
      const parts = signatureParts(signed)
      return parts === undefined
        ? undefined
        : call(
          encodeFunctionData({ abi, functionName: "depositWithPermit", args: [permitted, parts.v, parts.r, parts.s] })
        )
    }
  }
}
