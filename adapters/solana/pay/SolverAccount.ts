/** The accounts that sign on Solana chains. Their keys stay with their signers, wherever those are. */
import { address, getAddressDecoder } from "@solana/kit"
import type { Address } from "@solana/kit"
import { Context, Effect, Layer } from "effect"
import type { Ed25519Signer, Ed25519Tree } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { keyPath } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import type { KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { SOLANA_COIN_TYPE } from "../../../src/domain/families/solana/Rules.ts"

export interface SigningAccount extends Pick<Ed25519Signer, "sign"> {
  readonly address: Address
}

export class SolverAccount extends Context.Service<SolverAccount, {
  /** The solver's account, which pays. */
  readonly signer: SigningAccount
  /** The keys of deposit addresses. Undefined in a process without their seed. */
  readonly depositSigner: ((place: KeyPlace) => Effect.Effect<SigningAccount, SignerUnavailable>) | undefined
}>()("causeway/adapters/solana/SolverAccount") {}

const signingAccount = ({ publicKey, sign }: Ed25519Signer): SigningAccount => ({
  address: address(getAddressDecoder().decode(publicKey)),
  sign
})

export const layer = (solver: Ed25519Signer, deposits?: Ed25519Tree) =>
  Layer.sync(SolverAccount, () => ({
    signer: signingAccount(solver),
    depositSigner: deposits === undefined
      ? undefined
      : (place) => Effect.map(deposits(keyPath({ coinType: SOLANA_COIN_TYPE }, place)), signingAccount)
  }))
