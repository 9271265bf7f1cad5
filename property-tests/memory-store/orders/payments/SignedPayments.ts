/** Payments are signed once: what decides is read, the payment is signed and written, in one transaction. */
import * as Effect from "effect/Effect"
import { besidesOf, topupIn } from "../../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import type { AccountPayment, PreparedPayment, SignedWithClaims } from "../../../../ports/chain/Treasury.ts"
import { inTime } from "../../../../ports/signing/InTime.ts"
import { PaymentsHalted, PaymentsHeld, PaymentUndue } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, Payments, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { chooseAccount } from "../../../../src/domain/transfer/payment/ChooseAccount.ts"
import { isHalted } from "../../operations/Pauses.ts"
import { isHeld } from "../../operations/Restorations.ts"
import type { MemoryStore } from "../../MemoryStore.ts"
import type { Tables } from "../../Tables.ts"
import { countSigned } from "../../ledger/UnattestedRefunds.ts"
import { nextSequence, takeSequence } from "./AccountSequences.ts"
import { inTheWay } from "./ExclusivePayments.ts"
import { addClaims, claimantsOf, holdersOf, isClaimed } from "./PaymentClaims.ts"
import { hasEndedUnpaid } from "./QueuedWork.ts"
import { addPayment, addVariant, committedOf, readPayment } from "./StoredPayments.ts"

const OPERATION = "Payments.signOnce"

/** How often a payment is signed in one transaction, when it would claim what it was not shown. */
const TRIES = 4

/** Set aside: what is in the way never is. */
const isStanding = (leg: string): leg is PaymentPurpose => !leg.includes("!")

/**
 * Whether the account holds what the payment costs, beside what its payments in flight can still take. Where payments
 * have claims, those decide instead.
 */
const covers = (tables: Tables, { chain }: Payment, { claimable, costs }: AccountPayment): boolean =>
  claimable !== undefined ||
  costs.every((cost) => cost.balance - committedOf(tables, chain.id, cost) >= cost.amount)

/** The payment by one of its accounts. By the first where none covers it, which is then refused. */
const choose = (tables: Tables, payment: Payment, prepared: PreparedPayment, at: number): AccountPayment => {
  const { others = [] } = prepared
  if (others.length === 0) return prepared
  const inFlight = tables.paymentsInFlight(String(payment.chain.id))
  const facts = [prepared, ...others].map((by) => {
    const own = inFlight.filter(({ account }) => account === by.account).map(({ signedAt }) => signedAt)
    const oldest = own.length === 0 ? undefined : Math.min(...own)
    return { by, covers: covers(tables, payment, by), inFlight: own.length, oldest }
  })
  return chooseAccount(facts, payment.chain, at)?.by ?? prepared
}

/** The account and the sequence to sign under, or what is answered without a signature. */
const decide = (
  tables: Tables,
  leg: PaymentPurpose,
  deposit: Hex32,
  payment: Payment,
  prepared: PreparedPayment,
  at: number
) => {
  const { chain, orderId } = payment
  const besides = besidesOf(payment)
  const chosen = choose(tables, payment, prepared, at)
  const { account, chainSequence } = chosen
  const held = isHeld(tables, chain.id)
  const sequence = held ? undefined : nextSequence(tables, chain.id, account, chainSequence)
  const standing = inTheWay(tables, orderId, leg, deposit, besides)
  const existing = standing === undefined || !isStanding(standing) ? undefined : readPayment(tables, orderId, standing)
  if (existing !== undefined) return existing
  if (sequence === undefined) return new PaymentsHeld({ chain: chain.slug })
  const recorded = tables.deposits.get(deposit)
  if (isHalted(tables, chain.id) || (recorded !== undefined && isHalted(tables, recorded.chainId))) {
    return new PaymentsHalted({ chain: chain.slug })
  }
  const isLess = recorded !== undefined && leg.startsWith("refund:") && payment.amount > recorded.deposit.amount
  const isOther = recorded !== undefined && besides !== undefined && besides.recorded !== recorded.deposit.amount
  const hasEnded = recorded?.state === "gone" || recorded?.state === "unrefundable"
  const isUndue = hasEnded || isLess || isOther || hasEndedUnpaid(tables, leg, orderId)
  if (isUndue) return new PaymentUndue({ chain: chain.slug })
  return covers(tables, payment, chosen)
    ? { chosen, sequence, deposited: recorded?.deposit.amount, others: claimantsOf(tables, chain.id, chosen) }
    : new PaymentRefused({ reason: "insufficient-funds" })
}

const write = (
  tables: Tables,
  payment: Payment,
  stored: StoredPayment,
  { claims = [] }: SignedWithClaims,
  costs: PreparedPayment["costs"],
  at: number
): StoredPayment | PaymentRefused => {
  if (isClaimed(tables, stored.chainId, claims)) return new PaymentRefused({ reason: "insufficient-funds" })
  addClaims(tables, stored, claims)
  const { account, chainId, raw, sequence, transactionId } = stored
  takeSequence(tables, chainId, account, sequence)
  if (costs.length > 0) tables.costs.add(transactionId, costs)
  addVariant(tables, stored, 0, stored, at)
  const topup = topupIn(payment)
  addPayment(tables, {
    orderId: stored.orderId,
    leg: stored.leg,
    deposit: stored.deposit,
    chainId,
    account,
    sequence,
    recipient: payment.recipient,
    currency: stored.currency,
    amount: stored.amount,
    deposited: stored.deposited,
    topup: topup === 0n ? undefined : topup,
    transactionId,
    raw,
    state: "signed",
    signedAt: at,
    block: undefined,
    gasPaid: undefined
  })
  countSigned(tables, stored, at)
  return stored
}

export const signedPayments = (
  { call, transaction }: MemoryStore["Service"]
): Pick<Payments["Service"], "signOnce"> => ({
  signOnce: (leg, deposit, payment, prepared, at) =>
    transaction(Effect.gen(function*() {
      const decided = yield* call(OPERATION, (tables) => decide(tables, leg, deposit, payment, prepared, at))
      if (!("chosen" in decided)) return decided
      const { chosen: { account, costs, sign }, deposited, sequence } = decided
      let { others } = decided
      const holders = ({ claims = [] }: SignedWithClaims) =>
        call(OPERATION, (tables) => holdersOf(tables, payment.chain.id, claims))
      let signed = yield* Effect.catchTag(inTime(sign(sequence, others)), "PaymentRefused", Effect.succeed)
      for (let tries = 1; tries < TRIES && !(signed instanceof PaymentRefused); tries += 1) {
        const held = yield* holders(signed)
        if (held.length === 0) break
        others = [...others, ...held]
        signed = yield* Effect.catchTag(inTime(sign(sequence, others)), "PaymentRefused", Effect.succeed)
      }
      if (signed instanceof PaymentRefused) return signed
      const stored: StoredPayment = {
        transactionId: signed.transactionId,
        raw: signed.raw,
        chainId: payment.chain.id,
        account,
        sequence,
        orderId: payment.orderId,
        leg,
        deposit,
        currency: payment.currency.address,
        amount: payment.amount,
        ...(deposited === undefined ? {} : { deposited }),
        state: "signed",
        variants: [{ transactionId: signed.transactionId, raw: signed.raw, signedAt: at }]
      }
      return yield* call(OPERATION, (tables) => write(tables, payment, stored, signed, costs, at))
    })).pipe(Effect.flatMap((answer) => "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)))
})
