/**
 * Whether a transaction credits an app balance, decided from its evidence alone (BALANCE-2).
 *
 * Accepted: a final, successful, top-level call of exactly 100 bytes to the accepted token on the settlement chain,
 * with exactly one Transfer log to the solver, whose amount is the credit. Guarantee: a credit is identified by (chain,
 * transaction, log index), so reading it twice credits it once. SECURITY: logs of other contracts never count.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import { decodeCreditCalldata, mentionsCredit } from "./CreditCalldata.ts"

/** A Transfer event of the token, in smallest units. */
export interface TransferLog {
  readonly index: number
  /** The contract that wrote the log. */
  readonly emitter: Address
  readonly to: Address
  readonly amount: bigint
}

/**
 * What a chain shows of one transaction. `to` is the account that the transaction itself calls, undefined when it
 * creates a contract.
 */
export interface CreditEvidence {
  readonly chainId: ChainId
  readonly transactionId: TransactionId
  readonly finality: "final" | "not-final"
  readonly succeeded: boolean
  readonly sender: Address
  readonly to: Address | undefined
  readonly data: string
  readonly transfers: ReadonlyArray<TransferLog>
}

/** Where credits are accepted: the settlement chain, its token, the solver's account. */
export interface CreditTerms {
  readonly chainId: ChainId
  readonly token: Address
  readonly solver: Address
}

/** Identifies a credit on chain, so reading it twice credits it once. */
export interface CreditKey {
  readonly chainId: ChainId
  readonly transactionId: TransactionId
  readonly logIndex: number
}

/** Append-only: reconciliation lists transactions by these words. */
export const notCreditedReasons = [
  "wrong-chain",
  "reverted",
  "not-a-call-to-the-token",
  "not-a-credit-call",
  "another-receiver",
  "not-one-transfer",
  "nothing-transferred"
] as const
/** One of `notCreditedReasons`. */
export type NotCreditedReason = (typeof notCreditedReasons)[number]

/** A credit, or the first reason against it. */
export type CreditVerdict =
  /** `amount` in smallest units of the token, from its log. */
  | { readonly _tag: "Credit"; readonly key: CreditKey; readonly wallet: Address; readonly amount: bigint }
  /** Would be a credit if it were final: check again later. */
  | { readonly _tag: "Wait" }
  /** Contains a credit's marker but is not a credit. Reconciliation lists it. */
  | { readonly _tag: "NotCredited"; readonly reason: NotCreditedReason }
  /** No sign of a credit. */
  | { readonly _tag: "Unrelated" }

const notCredited = (reason: NotCreditedReason): CreditVerdict => ({ _tag: "NotCredited", reason })

/** The verdict on a transaction. Never fails. */
export const judgeCredit = (terms: CreditTerms, evidence: CreditEvidence): CreditVerdict => {
  if (!mentionsCredit(evidence.data)) return { _tag: "Unrelated" }
  if (evidence.chainId !== terms.chainId) return notCredited("wrong-chain")
  if (!evidence.succeeded) return notCredited("reverted")
  if (evidence.to !== terms.token) return notCredited("not-a-call-to-the-token")
  const decoded = decodeCreditCalldata(evidence.data)
  if (Result.isFailure(decoded)) return notCredited("not-a-credit-call")
  const { credited, solver } = decoded.success
  if (solver !== terms.solver) return notCredited("another-receiver")
  const [log, ...more] = evidence.transfers.filter(({ to }) => to === terms.solver)
  if (log === undefined || more.length > 0 || log.emitter !== terms.token) return notCredited("not-one-transfer")
  if (log.amount <= 0n) return notCredited("nothing-transferred")
  if (evidence.finality === "not-final") return { _tag: "Wait" }
  return {
    _tag: "Credit",
    key: { chainId: evidence.chainId, transactionId: evidence.transactionId, logIndex: log.index },
    wallet: credited._tag === "Sender" ? evidence.sender : credited.wallet,
    amount: log.amount
  }
}
