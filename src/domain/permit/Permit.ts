/**
 * A signature that stands for the transaction of a deposit (STEP-8, STEP-10): of which kind it is, and what of it is
 * fixed with the quote. Together with the order it says every byte that the user signs.
 *
 * The order is bound in each kind: by the nonce (EIP-3009), by a witness (Permit2), by the spender (EIP-2612).
 */
import * as Schema from "effect/Schema"
import { Address } from "../chain/Address.ts"

/** The first that a currency has is used: the most specific first. */
export const permitKinds = ["eip3009", "eip2612", "permit2"] as const

export const PermitKind = Schema.Literals(permitKinds)
export type PermitKind = typeof PermitKind.Type

/**
 * The EIP-712 domain that is signed in; its chain and its contract are known otherwise: the origin, and the token or
 * Permit2.
 */
export const PermitDomain = Schema.Struct({
  name: Schema.String,
  /** Permit2 has none. */
  version: Schema.optionalKey(Schema.String)
})
export type PermitDomain = typeof PermitDomain.Type

export const PermitTerms = Schema.Struct({
  kind: PermitKind,
  domain: PermitDomain,
  /** The contract that makes the deposit of what is signed. */
  forwarder: Address,
  /** The contract that checks the signature: the token, or Permit2. */
  verifier: Address,
  /** Seconds: what is signed is carried out before then. */
  deadline: Schema.Int,
  /** EIP-2612: the number that the token expects of the owner; the other kinds have the order's id. */
  nonce: Schema.optionalKey(Schema.BigIntFromString),
  /** Gas units of the origin beyond the usual, which the user pays for. */
  gasOverhead: Schema.optionalKey(Schema.BigIntFromString)
})
export type PermitTerms = typeof PermitTerms.Type
