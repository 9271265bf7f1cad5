/** What decides whether a payment may be signed, read in one statement under the locks of whoever signs. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { besidesOf } from "../../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { PreparedPayment } from "../../../../ports/chain/Treasury.ts"
import type { PaymentPurpose } from "../../../../ports/store/orders/Payments.ts"
import { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { JsonText, UintText } from "../../engine/Columns.ts"
import { DepositStates } from "../DepositStates.ts"
import { exclusivePayments } from "./ExclusivePayments.ts"
import { LegColumn } from "./PaymentRows.ts"
import { queuedWork } from "./QueuedWork.ts"

const decodeFacts = Schema.decodeUnknownEffect(Schema.Array(Schema.Union([
  /** A payment in the way. */
  Schema.Struct({ fact: Schema.Literal("payment"), name: LegColumn }),
  /** A halt of the payment's chain or its deposit's. */
  Schema.Struct({ fact: Schema.Literal("halt"), name: Schema.String }),
  /** The deposit's record: its state and itself. */
  Schema.Struct({
    fact: Schema.Literal("deposit"),
    name: DepositStates,
    amount: JsonText(Schema.Struct({ amount: Deposit.fields.amount }))
  }),
  /** The payment's sweep, permit or payout has ended, and its money was not moved. */
  Schema.Struct({ fact: Schema.Literal("unpaid"), name: Schema.String }),
  /** What a payment that is not in a block yet can still take from a holding. */
  Schema.Struct({ fact: Schema.Literal("cost"), name: Schema.String, amount: UintText })
])))

type Fact = Effect.Success<ReturnType<typeof decodeFacts>>[number]

export const signingFacts = (sql: SqlClient.SqlClient) => {
  const { inTheWay } = exclusivePayments(sql)
  const { endedUnpaid } = queuedWork(sql)

  /** Under the locks: a statement of its own, which sees what whoever had them before has written. */
  const factsOf = (
    leg: PaymentPurpose,
    deposit: Deposit["onchainId"],
    payment: Payment,
    costs: PreparedPayment["costs"]
  ) => {
    const { chain, orderId } = payment
    return Effect.flatMap(
      sql`SELECT 'payment' AS fact, p.leg AS name, '' AS amount FROM payments p WHERE ${
        inTheWay(orderId, leg, deposit, besidesOf(payment))
      }
          UNION ALL SELECT 'halt', id, '' FROM pauses WHERE id = ${`halt:${chain.id}`}
            OR id IN (SELECT 'halt:' || CAST(chain_id AS TEXT) FROM deposits WHERE onchain_id = ${deposit})
          UNION ALL SELECT 'deposit', state, deposit FROM deposits WHERE onchain_id = ${deposit}
          ${endedUnpaid(leg, orderId)}
          UNION ALL SELECT 'cost', c.holder || ' ' || c.currency, c.amount FROM payment_costs c
            JOIN payments p ON p.transaction_id = c.transaction_id
            WHERE p.chain_id = ${chain.id} AND p.state IN ('signed', 'sent')
              AND ${sql.in("c.holder", [...new Set(costs.map(({ holder }) => holder))])}`,
      decodeFacts
    )
  }

  return { factsOf }
}

const holdingOf = ({ currency, holder }: PreparedPayment["costs"][number]): string => `${holder} ${currency}`

/** A payment that excludes this one comes before its own: a fill before its excess, which may both be in the way. */
export const firstOf = (facts: ReadonlyArray<Fact>, leg: PaymentPurpose): PaymentPurpose | undefined => {
  const legs = facts.flatMap((each) => each.fact === "payment" ? [each.name] : []).toSorted().toReversed()
  return legs.find((name) => name !== leg) ?? legs[0]
}

/**
 * True when the record of the deposit, or of the work that the payment is for, allows no such payment (`PaymentUndue`).
 * A payment without a deposit has no record of one.
 */
export const isUndue = (facts: ReadonlyArray<Fact>, leg: PaymentPurpose, payment: Payment): boolean => {
  const { recorded } = besidesOf(payment) ?? {}
  return facts.some((each) =>
    each.fact === "unpaid" ||
    (each.fact === "deposit" &&
      (each.name === "gone" || each.name === "unrefundable" ||
        (leg.startsWith("refund:") && payment.amount > each.amount.amount) ||
        (recorded !== undefined && recorded !== each.amount.amount)))
  )
}

/** What the deposit has by its record. Undefined for a payment without one. */
export const depositedBy = (facts: ReadonlyArray<Fact>): bigint | undefined =>
  facts.flatMap((each) => each.fact === "deposit" ? [each.amount.amount] : [])[0]

export const isCovered = (facts: ReadonlyArray<Fact>, cost: PreparedPayment["costs"][number]): boolean => {
  const taken = facts.reduce(
    (sum, each) => each.fact === "cost" && each.name === holdingOf(cost) ? sum + each.amount : sum,
    0n
  )
  return cost.balance - taken >= cost.amount
}
