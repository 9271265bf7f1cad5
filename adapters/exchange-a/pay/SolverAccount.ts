/** The account that pays on exchange A: one key. It stays with its signer. */
import { Context, Layer } from "effect"
import type { Effect } from "effect"
import type { Secp256k1Signer } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"

export class SolverAccount extends Context.Service<SolverAccount, {
  readonly account: Address
  /** Of a digest of 32 bytes: r, s, and 27 or 28. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array, SignerUnavailable>
}>()("causeway/adapters/exchange-a/SolverAccount") {}

export const layer = ({ account, sign }: Pick<Secp256k1Signer, "account" | "sign">) =>
  Layer.succeed(SolverAccount, { account, sign })
