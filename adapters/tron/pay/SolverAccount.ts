/** The account that pays on Tron chains: one key, in both spellings. The key stays with its signer. */
import { Context, Layer, Result } from "effect"
import type { Effect } from "effect"
import type { Secp256k1Signer } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"

export interface KeyAccount {
  /** In Tron's spelling. */
  readonly address: Address
  /** In EVM form. */
  readonly evm: Address
  /** Of a digest of 32 bytes: r, s, and 27 or 28. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array, SignerUnavailable>
}

export class SolverAccount extends Context.Service<SolverAccount, {
  readonly account: KeyAccount
  /** How long a payment can be executed, minutes of chain time after the solidified block that it names. */
  readonly lifetimeMinutes: number
}>()("causeway/adapters/tron/SolverAccount") {}

/** A payment that nothing executed is signed again at the earliest after that time. */
export const USUAL_LIFETIME_MINUTES = 10

export const layer = (
  { account, sign }: Pick<Secp256k1Signer, "account" | "sign">,
  lifetimeMinutes: number = USUAL_LIFETIME_MINUTES
) =>
  Layer.sync(SolverAccount, () => ({
    account: { address: Result.getOrThrow(tronOfAccount(account)), evm: account, sign },
    lifetimeMinutes
  }))
