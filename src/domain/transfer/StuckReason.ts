/** Why a request with a deposit has not ended, as far as its records and the chain show: one line for an operator. */
import type { Status } from "./Status.ts"

/** What is known of a request that exceeded its bound (STATUS-8). */
export interface StuckFacts {
  readonly status: Status
  /** States of the deposits that name the order, oldest first. */
  readonly deposits: ReadonlyArray<string>
  /** Whether the cap on unattested refunds holds one of them back. */
  readonly isCapped: boolean
  /** The newest payment for the order, and how it stands on its chain now. */
  readonly payment: {
    readonly leg: string
    readonly chain: string
    readonly transactionId: string
    readonly state: string
    readonly outcome: "Unseen" | "Superseded" | "Expired" | "Pending" | "Included" | "unknown"
  } | undefined
  /** Chains whose payments are held until the payments made since a backup are known. */
  readonly held: ReadonlyArray<string>
}

const outcomes: Readonly<Record<NonNullable<StuckFacts["payment"]>["outcome"], string>> = {
  Unseen: "its chain does not know it: it is broadcast again as long as a worker runs",
  Superseded: "another transaction used its sequence: it has to be signed again",
  Expired: "it expired before it was in a block: it is signed again",
  Pending:
    "its chain has not put it into a block: its fees may be too low, or an earlier one of the account is missing",
  Included: "it is in a block: the worker has not recorded that yet",
  unknown: "its chain does not answer"
}

/** Says what the request waits for. The worker's log says which step is retried and why. */
export const stuckReason = ({ deposits, held, isCapped, payment, status }: StuckFacts): string => {
  if (held.length > 0) {
    return `payments on ${held.join(", ")} are held until it is known what was paid since the backup that was restored`
  }
  if (payment !== undefined) {
    return `its ${payment.leg.split(":")[0]} on ${payment.chain} (${payment.transactionId}) is ${payment.state}; ${
      outcomes[payment.outcome]
    }`
  }
  if (deposits.length === 0) return "the store has no deposit for it"
  if (!deposits.includes("open") && isCapped) {
    return "its refund is held back by UNATTESTED_REFUNDS_USD: check it, then retry it once there is room under the cap, or in spite of the cap"
  }
  if (!deposits.includes("open") && deposits.includes("unrefundable")) {
    return "its deposit could not be refunded, the log says why: fix the cause, then retry it"
  }
  if (!deposits.includes("open")) return `its deposit is ${deposits.join(", ")} and no work is in progress for it`
  switch (status) {
    case "depositing":
      return "its deposit is not as deep as its value requires, or the exposure before finality is at its cap: it waits for the chain"
    case "delayed":
      return "the treasury has too little for its payment: fund it"
    default:
      return "its deposit is on the chain and nothing is signed for it: a step is being retried, see retries and defects of the worker"
  }
}
