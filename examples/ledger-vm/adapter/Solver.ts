/** The solver's account on the ledger, and what it signs. Its key is the service's own: accounts are of that curve. */
import { Context, Layer, Redacted } from "effect"
import type { Address, Hex32 } from "causeway-kit"
import { accountOf, type SignedTransfer, signTransfer, type Transfer } from "../ledger/Transfer.ts"

export class Solver extends Context.Service<Solver, {
  readonly account: Address
  readonly sign: (transfer: Transfer) => SignedTransfer
}>()("ledger-vm/Solver") {}

export const layer = (key: Redacted.Redacted<Hex32>) =>
  Layer.sync(Solver, () => ({
    account: accountOf(Redacted.value(key)),
    sign: (transfer) => signTransfer(transfer, Redacted.value(key))
  }))
