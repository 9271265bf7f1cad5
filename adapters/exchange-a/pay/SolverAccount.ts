/** The accounts that sign on exchange A, each one key: the one that pays, and deposit addresses. Keys stay with signers. */
import { Context, Effect, Layer } from "effect"
import type { Secp256k1Signer, Secp256k1Tree } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { keyPath } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import type { KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { COIN_TYPE } from "../../../src/domain/families/exchange-a/Rules.ts"

export interface KeyAccount {
  readonly account: Address
  /** Of a digest of 32 bytes: r, s, and 27 or 28. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array, SignerUnavailable>
}

export class SolverAccount extends Context.Service<
  SolverAccount,
  KeyAccount & {
    /** The deposit address whose key is at a place. Undefined in a process without their seed. */
    readonly depositAccount: ((place: KeyPlace) => Effect.Effect<KeyAccount, SignerUnavailable>) | undefined
  }
>()("causeway/adapters/exchange-a/SolverAccount") {}

type AccountSigner = Pick<Secp256k1Signer, "account" | "sign">

const keyAccount = ({ account, sign }: AccountSigner): KeyAccount => ({ account, sign })

/** `deposits`: the keys of deposit addresses, in a process that has their seed. */
export const layer = (solver: AccountSigner, deposits?: Secp256k1Tree) =>
  Layer.succeed(SolverAccount, {
    ...keyAccount(solver),
    depositAccount: deposits === undefined
      ? undefined
      : (place: KeyPlace) => Effect.map(deposits(keyPath({ coinType: COIN_TYPE }, place)), keyAccount)
  })
