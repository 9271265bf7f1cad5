/** Transfers of the simulated solver that pay for sweeps (TRON-21), told from its fills and refunds: these name orders. */
import type { Address } from "../../../src/domain/chain/Address.ts"
import { solver } from "./Terms.ts"
import type { SentTransaction } from "./TronTransaction.ts"

export interface Funding {
  /** In EVM form. */
  readonly to: Address
  /** Sun. */
  readonly amount: bigint
}

/** Undefined for every other transaction. */
export const fundingIn = ({ transaction: { act, memo } }: Pick<SentTransaction, "transaction">): Funding | undefined =>
  act._tag === "Transfer" && act.owner === solver.evm && memo.length === 0
    ? { to: act.to, amount: act.amount }
    : undefined

/** Whether it is what the solver sent for a sweep, which names the same block and expires with it. */
export const isFundingOf = (sweep: SentTransaction) => (sent: SentTransaction): boolean =>
  fundingIn(sent)?.to === sweep.transaction.owner && sent.expiration === sweep.expiration &&
  sent.reference.hash === sweep.reference.hash
