/**
 * The solver's account on the ledger, and its signatures. Uses the service's own signer, because ledger accounts are on
 * the same curve.
 */
import { Context, Effect, Layer } from "effect"
import { type Address, hexFromBytes, hexToBytes } from "causeway-kit"
import type { Secp256k1Signer, SignerUnavailable } from "causeway-kit/ports"
import { digestOf, inLedgerSpelling, type SignedTransfer, type Transfer } from "../ledger/Transfer.ts"

export class Solver extends Context.Service<Solver, {
  readonly account: Address
  readonly sign: (transfer: Transfer) => Effect.Effect<SignedTransfer, SignerUnavailable>
}>()("ledger-vm/Solver") {}

export const layer = ({ account, sign }: Secp256k1Signer) =>
  Layer.sync(Solver, () => ({
    account: inLedgerSpelling(account),
    sign: (transfer) =>
      Effect.map(
        sign(hexToBytes(digestOf(transfer))),
        (signature): SignedTransfer => ({ transfer, signature: hexFromBytes(signature) })
      )
  }))
