/**
 * A signature in place of a deposit transaction (STEP-8, STEP-10): its kind, and the terms that are fixed with the
 * quote. Together with the order they determine every byte that the user signs.
 *
 * Each kind is bound to the order: by the nonce (EIP-3009), by a witness (Permit2), by the spender (EIP-2612).
 */
import * as Schema from "effect/Schema"
import { Address } from "../chain/Address.ts"

/** The first kind that a currency supports is used: the most specific first. */
export const permitKinds = ["eip3009", "eip2612", "permit2"] as const

/** How the user signs: EIP-3009, EIP-2612 or Permit2. */
export const PermitKind = Schema.Literals(permitKinds)
export type PermitKind = typeof PermitKind.Type

/** The EIP-712 domain of the signature. Its chain is the origin, and its contract is the token or Permit2. */
export const PermitDomain = Schema.Struct({
  name: Schema.String,
  /** Permit2 has no version. */
  version: Schema.optionalKey(Schema.String)
})
export type PermitDomain = typeof PermitDomain.Type

/** What a permit of a quote says, and which contracts check and use it (STEP-8 to STEP-10). */
export const PermitTerms = Schema.Struct({
  kind: PermitKind,
  domain: PermitDomain,
  /** The contract that makes the deposit from the signature. */
  forwarder: Address,
  /** The contract that checks the signature: the token, or Permit2. */
  verifier: Address,
  /** Seconds. The permit must be executed before then. */
  deadline: Schema.Int,
  /** EIP-2612: the owner's next nonce in the token. The other kinds use the order's id. */
  nonce: Schema.optionalKey(Schema.BigIntFromString),
  /** Gas units on the origin beyond the usual, which the user pays for. */
  gasOverhead: Schema.optionalKey(Schema.BigIntFromString)
})
export type PermitTerms = typeof PermitTerms.Type
