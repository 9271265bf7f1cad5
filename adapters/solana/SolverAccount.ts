/** The key that pays on Solana chains. Held here and nowhere else; printing it gives an address. */
import { createKeyPairSignerFromBytes } from "@solana/kit"
import type { KeyPairSigner } from "@solana/kit"
import { base58 } from "@scure/base"
import { Context, Effect, Layer, Redacted } from "effect"

export class SolverAccount extends Context.Service<SolverAccount, {
  readonly signer: KeyPairSigner
}>()("causeway/adapters/solana/SolverAccount") {}

/** The key: base58 of its 64 bytes, as wallets export it; checked where the configuration is decoded. */
export const layer = (key: Redacted.Redacted) =>
  Layer.effect(SolverAccount, Effect.map(Effect.promise(() => createKeyPairSignerFromBytes(base58.decode(Redacted.value(key)))), (signer) => ({ signer })))
