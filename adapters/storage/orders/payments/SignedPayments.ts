/**
 * Payments are signed once: sequence, costs and bytes in one transaction. It takes the locks, then reads everything that
 * decides, then signs, and then writes: four round trips beside the signer's.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { PaymentsHalted, PaymentsHeld } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, StoredPayment, Payments } from "../../../../ports/store/orders/Payments.ts"
import { inTime } from "../../../../ports/signing/InTime.ts"
import { PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import { topupIn } from "../../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { PreparedPayment, SignedPayment } from "../../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { storeCall } from "../../StoreCall.ts"
import { countSigned } from "../../ledger/UnattestedRefunds.ts"
import { UintText } from "../../engine/Columns.ts"
import { writeTogether } from "../../engine/Together.ts"
import { exclusivePayments } from "./ExclusivePayments.ts"
import { unsigned } from "./Unsigned.ts"
import { LegColumn, paymentReader, topupText } from "./PaymentRows.ts"
import { accountSequences } from "./AccountSequences.ts"
import { paymentVariants } from "./PaymentVariants.ts"

/** What decides whether a payment may be signed, one row for each. */
const decodeFacts = Schema.decodeUnknownEffect(Schema.Array(Schema.Union([
  /** A payment in the way. */
  Schema.Struct({ fact: Schema.Literal("payment"), name: LegColumn }),
  /** A halt of the payment's chain or its deposit's. */
  Schema.Struct({ fact: Schema.Literal("halt"), name: Schema.String }),
  /** What a payment that is not in a block yet can still take from a holding. */
  Schema.Struct({ fact: Schema.Literal("cost"), name: Schema.String, amount: UintText })
])))

type Fact = Effect.Success<ReturnType<typeof decodeFacts>>[number]

export const signedPayments = (sql: SqlClient.SqlClient) => {
  const { read, readStanding } = paymentReader(sql)
  const { contended, inTheWay } = exclusivePayments(sql)
  const { lockToSign, takeSequence } = accountSequences(sql)
  const { addCosts, addVariant } = paymentVariants(sql)

  const isHeld = (chainId: ChainId) =>
    Effect.map(
      sql`SELECT chain_id FROM restorations WHERE chain_id = ${chainId} AND settled_at IS NULL`,
      (rows) => rows.length > 0
    )

  const holdingOf = ({ currency, holder }: PreparedPayment["costs"][number]): string => `${holder} ${currency}`

  /** Under the locks: a statement of its own, which sees what whoever had them before has written. */
  const factsOf = (
    leg: PaymentPurpose,
    deposit: Deposit["onchainId"],
    { chain, orderId }: Payment,
    costs: PreparedPayment["costs"]
  ) =>
    Effect.flatMap(
      sql`SELECT 'payment' AS fact, p.leg AS name, '' AS amount FROM payments p WHERE ${inTheWay(orderId, leg, deposit)}
          UNION ALL SELECT 'halt', id, '' FROM pauses WHERE id = ${`halt:${chain.id}`}
            OR id IN (SELECT 'halt:' || CAST(chain_id AS TEXT) FROM deposits WHERE onchain_id = ${deposit})
          UNION ALL SELECT 'cost', c.holder || ' ' || c.currency, c.amount FROM payment_costs c
            JOIN payments p ON p.transaction_id = c.transaction_id
            WHERE p.chain_id = ${chain.id} AND p.state IN ('signed', 'sent')
              AND ${sql.in("c.holder", [...new Set(costs.map(({ holder }) => holder))])}`,
      decodeFacts
    )

  /** A payment that excludes this one comes before its own: a fill before its excess, which may both be in the way. */
  const firstOf = (facts: ReadonlyArray<Fact>, leg: PaymentPurpose): PaymentPurpose | undefined => {
    const legs = facts.flatMap((each) => each.fact === "payment" ? [each.name] : []).toSorted().toReversed()
    return legs.find((name) => name !== leg) ?? legs[0]
  }

  const isCovered = (facts: ReadonlyArray<Fact>, cost: PreparedPayment["costs"][number]): boolean => {
    const taken = facts.reduce(
      (sum, each) => each.fact === "cost" && each.name === holdingOf(cost) ? sum + each.amount : sum,
      0n
    )
    return cost.balance - taken >= cost.amount
  }

  const write = (
    payment: Payment,
    stored: StoredPayment,
    signed: SignedPayment,
    costs: PreparedPayment["costs"],
    at: number
  ) => {
    const { account, chainId, deposit, leg, orderId, sequence } = stored
    return writeTogether(sql, [
      takeSequence(chainId, account, sequence),
      ...addCosts(signed.transactionId, costs),
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
      const { account, costs } = prepared
      // The account pays a fill and what takes its place: two deposits of one order see each other. And of two that
      // sign at once, the second sees the other's costs.
      const sequence = yield* lockToSign(
        { chainId: chain.id, account, chainSequence: prepared.chainSequence },
        contended(orderId, leg, deposit)
      )
      const facts = yield* factsOf(leg, deposit, payment, costs)
      const first = firstOf(facts, leg)
      const existing = first === undefined ? undefined : yield* read(orderId, first)
      if (existing !== undefined) return existing
      if (sequence === undefined) return new PaymentsHeld({ chain: chain.slug })
      if (facts.some(({ fact }) => fact === "halt")) return new PaymentsHalted({ chain: chain.slug })
      if (costs.some((cost) => !isCovered(facts, cost))) return new PaymentRefused({ reason: "insufficient-funds" })
      const signed = yield* inTime(prepared.sign(sequence))
      const stored: StoredPayment = {
        ...signed,
        chainId: chain.id,
        account,
        sequence,
        orderId,
        leg,
        deposit,
        currency: payment.currency.address,
        amount: payment.amount,
        state: "signed",
        variants: [{ ...signed, signedAt: at }]
      }
      yield* write(payment, stored, signed, costs, at)
      yield* countSigned(sql, stored, at)
      return stored
    })).pipe(unsigned, storeCall("Payments.signOnce"))

  // A refusal is an answer, not a failure of the store; by now it has taken back the transaction that it came out of.
  const signOnce: Payments["Service"]["signOnce"] = (leg, deposit, payment, prepared, at) =>
    Effect.flatMap(
      sign(leg, deposit, payment, prepared, at),
      (answer) => "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)
    )

  const refuseHeld: Payments["Service"]["refuseHeld"] = ({ id, slug }) =>
    Effect.flatMap(
      isHeld(id).pipe(storeCall("Payments.refuseHeld")),
      (held) => held ? Effect.fail(new PaymentsHeld({ chain: slug })) : Effect.void
    )

  const standing: Payments["Service"]["standing"] = (orderId, legs, chains) =>
    readStanding(orderId, legs, chains.map(({ id }) => id)).pipe(
      Effect.map(({ held, payments }) => {
        const chain = chains.find(({ id }) => id === held)
        return { payments, held: chain === undefined ? undefined : new PaymentsHeld({ chain: chain.slug }) }
      }),
      storeCall("Payments.standing")
    )

  return { signOnce, refuseHeld, standing }
}
