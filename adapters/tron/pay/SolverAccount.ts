/**
 * The accounts that sign on Tron chains, each one key, in both spellings: the one that pays, and deposit addresses. The
 * keys stay with their signers.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Secp256k1Signer, Secp256k1Tree } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { keyPath } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import type { KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { COIN_TYPE } from "../../../src/domain/families/tron/Rules.ts"
import { tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"

export interface KeyAccount {
  /** In Tron's spelling. */
  readonly address: Address
  /** In EVM form. */
  readonly evm: Address
  /** Of a digest of 32 bytes: r, s, and 27 or 28. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array, SignerUnavailable>
}

export type DepositAccount = (place: KeyPlace) => Effect.Effect<KeyAccount, SignerUnavailable>

export class SolverAccount extends Context.Service<SolverAccount, {
  /** Pays. */
  readonly account: KeyAccount
  /** How long a payment can be executed, minutes of chain time after the solidified block that it names. */
  readonly lifetimeMinutes: number
  /** The deposit address whose key is at a place. Undefined in a process without their seed. */
  readonly depositAccount: DepositAccount | undefined
}>()("causeway/adapters/tron/SolverAccount") {}

/** A payment that nothing executed is signed again at the earliest after that time. */
export const USUAL_LIFETIME_MINUTES = 10

type AccountSigner = Pick<Secp256k1Signer, "account" | "sign">

const keyAccount = ({ account, sign }: AccountSigner): KeyAccount => ({
  address: Result.getOrThrow(tronOfAccount(account)),
  evm: account,
  sign
})

/** `deposits`: the keys of deposit addresses, in a process that has their seed. */
export const layer = (
  solver: AccountSigner,
  lifetimeMinutes: number = USUAL_LIFETIME_MINUTES,
  deposits?: Secp256k1Tree
) =>
  Layer.sync(SolverAccount, () => ({
    account: keyAccount(solver),
    lifetimeMinutes,
    depositAccount: deposits === undefined
      ? undefined
      : (place: KeyPlace) => Effect.map(deposits(keyPath({ coinType: COIN_TYPE }, place)), keyAccount)
  }))
