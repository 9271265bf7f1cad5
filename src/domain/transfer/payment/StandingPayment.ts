/** The current state of a payment that a user made directly, and how endpoints agree on it. */
import { reachedBy } from "../../quorum/AgreeOnReading.ts"
import type { ReadingRule } from "../../quorum/AgreeOnReading.ts"
import type { MadeCall, UserPayment } from "./UserPayment.ts"

export interface StandingPayment {
  readonly payment: UserPayment
  /** Counts the payment's own block. */
  readonly confirmations: number
  readonly final: boolean
}

const sameList = <A>(left: ReadonlyArray<A>, right: ReadonlyArray<A>, same: (one: A, other: A) => boolean): boolean =>
  left.length === right.length && left.every((one, index) => {
    const other = right[index]
    return other !== undefined && same(one, other)
  })

const sameCall = (left: MadeCall, right: MadeCall): boolean => {
  if ("program" in left) {
    return "program" in right && left.program === right.program && left.data === right.data &&
      sameList(left.accounts, right.accounts, (one, other) => one === other)
  }
  return "to" in right && left.to === right.to && left.data === right.data && left.value === right.value
}

const samePayment = (left: UserPayment, right: UserPayment): boolean =>
  left.orderId === right.orderId && left.transactionId === right.transactionId && left.from === right.from &&
  left.block.hash === right.block.hash && left.block.height === right.block.height &&
  left.succeeded === right.succeeded && sameList(left.calls, right.calls, sameCall) &&
  sameList(
    left.payments,
    right.payments,
    (one, other) => one.recipient === other.recipient && one.currency === other.currency && one.amount === other.amount
  )

/** True when something is decided on it that a later reading cannot undo: it is final, or gone from its block. */
export const isSettling = (standing: StandingPayment | undefined): boolean => standing === undefined || standing.final

/** Equal: in the same block with the same payments, or both gone. */
export const standingPaymentRule: ReadingRule<StandingPayment | undefined> = {
  same: (left, right) =>
    left === undefined || right === undefined ? left === right : samePayment(left.payment, right.payment),
  combine: ([first, ...others], needed) => {
    if (first === undefined) return undefined
    const all = [first, ...others].filter((each) => each !== undefined)
    return {
      payment: first.payment,
      confirmations: reachedBy(all.map(({ confirmations }) => confirmations), needed) ?? 0,
      final: all.filter(({ final }) => final).length >= needed
    }
  },
  // Gone is said only of a block that the endpoint has read, or has replaced.
  claims: (standing) => standing === undefined ? "proven" : standing.final ? "lasting" : "open"
}
