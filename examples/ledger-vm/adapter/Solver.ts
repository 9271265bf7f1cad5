/**
 * The solver's account on the ledger, and the accounts of deposit addresses. Uses the service's own signers, because
 * ledger accounts are on the same curve.
 */
import { Context, Effect, Layer } from "effect"
import { type Address, type Hex, hexFromBytes, hexToBytes, keyPath, type KeyPlace } from "causeway-kit"
import type { ServiceSigners } from "causeway-kit/adapters/family"
import type { Secp256k1Signer, SignerUnavailable } from "causeway-kit/ports"
import { digestOf, inLedgerSpelling, type SignedTransfer, type Transfer } from "../ledger/Transfer.ts"
import { ledgerRules } from "../rules/LedgerRules.ts"

/** An account that signs. */
export interface SigningAccount {
  readonly account: Address
  /** Signs a transfer that it sends, or whose fee it pays. */
  readonly signature: (transfer: Transfer) => Effect.Effect<Hex, SignerUnavailable>
}

export class Solver extends Context.Service<Solver, {
  readonly account: Address
  readonly signature: SigningAccount["signature"]
  readonly sign: (transfer: Transfer) => Effect.Effect<SignedTransfer, SignerUnavailable>
  /** The account of a deposit address. Undefined in a process without the seed. */
  readonly depositAccount: ((place: KeyPlace) => Effect.Effect<SigningAccount, SignerUnavailable>) | undefined
}>()("ledger-vm/Solver") {}

const accountOf = ({ account, sign }: Secp256k1Signer): SigningAccount => ({
  account: inLedgerSpelling(account),
  signature: (transfer) => Effect.map(sign(hexToBytes(digestOf(transfer))), hexFromBytes)
})

/** The signers that the family uses. */
export type LedgerSigners = Pick<ServiceSigners, "solver" | "deposits">

export const layer = ({ deposits, solver }: LedgerSigners) =>
  Layer.sync(Solver, () => {
    const { account, signature } = accountOf(solver)
    return {
      account,
      signature,
      sign: (transfer) =>
        Effect.map(signature(transfer), (signed): SignedTransfer => ({ transfer, signature: signed })),
      depositAccount: deposits === undefined
        ? undefined
        : (place) => Effect.map(deposits.secp256k1(keyPath(ledgerRules, place)), accountOf)
    }
  })
