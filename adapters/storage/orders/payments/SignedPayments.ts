/**
 * Payments are signed once: sequence, costs and bytes in one transaction. It takes the locks, then reads everything
 * that decides, then signs, and then writes: four round trips beside the signer's.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { PaymentsHalted, PaymentsHeld, PaymentUndue } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, StoredPayment, Payments } from "../../../../ports/store/orders/Payments.ts"
import { PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import { topupIn } from "../../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { AccountPayment, PreparedPayment, SignedWithClaims } from "../../../../ports/chain/Treasury.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { storeCall } from "../../StoreCall.ts"
import { countSigned } from "../../ledger/UnattestedRefunds.ts"
import { writeTogether } from "../../WriteTogether.ts"
import { accountChoice } from "./AccountChoice.ts"
import { exclusivePayments } from "./ExclusivePayments.ts"
import { depositedBy, firstOf, isCovered, isUndue, signingFacts } from "./SigningFacts.ts"
import { unsigned } from "./Unsigned.ts"
import { paymentReader, topupText } from "./PaymentRows.ts"
import { accountSequences } from "./AccountSequences.ts"
import { paymentClaims } from "./PaymentClaims.ts"
import { paymentVariants } from "./PaymentVariants.ts"

export const signedPayments = (sql: SqlClient.SqlClient) => {
  const { read } = paymentReader(sql)
  const { choose } = accountChoice(sql)
  const { contended, oneOfAnOrder } = exclusivePayments(sql)
  const { factsOf } = signingFacts(sql)
  const { lockToSign, takeSequence } = accountSequences(sql)
  const { addCosts, addVariant } = paymentVariants(sql)
  const { addClaims, signWith } = paymentClaims(sql)

  const write = (
    payment: Payment,
    stored: StoredPayment,
    { claims = [], ...signed }: SignedWithClaims,
    costs: AccountPayment["costs"],
    at: number
  ) => {
    const { account, chainId, deposit, leg, orderId, sequence } = stored
    return writeTogether(sql, [
      takeSequence(chainId, account, sequence),
      ...addCosts(signed.transactionId, costs),
      ...addClaims(stored, claims),
      addVariant(stored, 0, signed, at),
      sql`INSERT INTO payments ${
        sql.insert({
          order_id: orderId,
          leg,
          deposit,
          chain_id: chainId,
          account,
          sequence: sequence.toString(),
          recipient: payment.recipient,
          currency: payment.currency.address,
          amount: payment.amount.toString(),
          deposited: stored.deposited?.toString() ?? null,
          topup: topupText(topupIn(payment)),
          transaction_id: signed.transactionId,
          raw: signed.raw,
          state: "signed",
          signed_at: at
        })
      }`
    ])
  }

  const sign = (
    leg: PaymentPurpose,
    deposit: Deposit["onchainId"],
    payment: Payment,
    prepared: PreparedPayment,
    at: number
  ) =>
    sql.withTransaction(Effect.gen(function*() {
      const { chain, orderId } = payment
      const chosen = yield* choose(payment, prepared, at)
      const { account, chainSequence, costs } = chosen
      // Two deposits of one order see each other, whichever accounts pay them. And of two that sign with one account at
      // once, the second sees the other's costs.
      const sequence = yield* lockToSign(
        { chainId: chain.id, account, chainSequence },
        contended(orderId, leg, deposit),
        oneOfAnOrder(orderId, leg)
      )
      const facts = yield* factsOf(leg, deposit, payment, costs)
      const first = firstOf(facts, leg)
      const existing = first === undefined ? undefined : yield* read(orderId, first)
      if (existing !== undefined) return existing
      if (sequence === undefined) return new PaymentsHeld({ chain: chain.slug })
      if (facts.some(({ fact }) => fact === "halt")) return new PaymentsHalted({ chain: chain.slug })
      if (isUndue(facts, leg, payment)) return new PaymentUndue({ chain: chain.slug })
      const isShort = chosen.claimable === undefined && costs.some((cost) => !isCovered(facts, cost))
      if (isShort) return new PaymentRefused({ reason: "insufficient-funds" })
      const signed = yield* signWith(chain.id, chosen, sequence)
      if (signed instanceof PaymentRefused) return signed
      const { raw, transactionId } = signed
      const deposited = depositedBy(facts)
      const stored: StoredPayment = {
        transactionId,
        raw,
        chainId: chain.id,
        account,
        sequence,
        orderId,
        leg,
        deposit,
        currency: payment.currency.address,
        amount: payment.amount,
        ...(deposited === undefined ? {} : { deposited }),
        state: "signed",
        variants: [{ transactionId, raw, signedAt: at }]
      }
      yield* write(payment, stored, signed, costs, at)
      yield* countSigned(sql, stored, at)
      return stored
    })).pipe(unsigned, storeCall("Payments.signOnce"))

  // A refusal is an answer, not a failure of the store; by now it has taken back the transaction that it came out of.
  const signOnce: Payments["Service"]["signOnce"] = (leg, deposit, payment, prepared, at) =>
    sign(leg, deposit, payment, prepared, at).pipe(
      // Another payment was signed with the chosen account meanwhile. The next choice sees it.
      Effect.repeat({
        until: (answer) => !(answer instanceof PaymentRefused),
        times: prepared.others?.length ?? 0
      }),
      Effect.flatMap((answer) => "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer))
    )

  return { signOnce }
}
