/** Payments in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DepositAnswered, Payments, PaymentsHeld } from "../../ports/Payments.ts"
import type { Leg } from "../../ports/Payments.ts"
import { PaymentRefused } from "../../ports/Treasury.ts"
import type { Payment, PaymentCost, PreparedPayment } from "../../ports/Treasury.ts"
import { Address } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../src/domain/chain/Hex.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { BlockRef } from "../../src/domain/transfer/Deposit.ts"
import type { Deposit } from "../../src/domain/transfer/Deposit.ts"
import { JsonText, SqlInt, UintText } from "./engine/Columns.ts"
import { storeCall } from "./StoreCall.ts"

const LegColumn = Schema.Union([Schema.Literal("fill"), Schema.TemplateLiteral(["refund:", Schema.String])])

const Row = Schema.Struct({
  order_id: OrderId,
  leg: LegColumn,
  deposit: Hex32,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  account: Address,
  sequence: UintText,
  amount: UintText,
  transaction_id: TransactionId,
  raw: Schema.String,
  state: Schema.Literals(["signed", "sent", "included", "reverted"])
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeNext = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ next: UintText })))
const decodeCosts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ amount: UintText })))
const encodeBlock = Schema.encodeEffect(JsonText(BlockRef))

const toPayment = (row: typeof Row.Type) => ({
  orderId: row.order_id,
  leg: row.leg,
  deposit: row.deposit,
  chainId: row.chain_id,
  account: row.account,
  sequence: row.sequence,
  amount: row.amount,
  transactionId: row.transaction_id,
  raw: row.raw,
  state: row.state
})

export const layer = Layer.effect(
  Payments,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const read = (orderId: OrderId, leg: string) =>
      sql`SELECT order_id, leg, deposit, chain_id, account, sequence, amount, transaction_id, raw, state
          FROM payments WHERE order_id = ${orderId} AND leg = ${leg}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map(([row]) => row === undefined ? undefined : toPayment(row))
      )

    /** The next sequence of an account: what we counted, unless the chain is further. The upsert takes the row's lock. */
    const lockSequence = Effect.fnUntraced(function*(chainId: ChainId, account: Address, chainSequence: bigint) {
      const row = { chain_id: chainId, account, next: chainSequence.toString(), first: chainSequence.toString() }
      const [held] = yield* decodeNext(
        yield* sql`INSERT INTO account_sequences ${sql.insert(row)}
                   ON CONFLICT (chain_id, account) DO UPDATE SET next = account_sequences.next RETURNING next`
      )
      return held === undefined || held.next < chainSequence ? chainSequence : held.next
    })

    const takeSequence = (chainId: ChainId, account: Address, sequence: bigint) =>
      sql`UPDATE account_sequences SET next = ${(sequence + 1n).toString()}
          WHERE chain_id = ${chainId} AND account = ${account}`

    /** What payments that are not in a block yet can still take from a holding. */
    const committed = (chainId: ChainId, { currency, holder }: PaymentCost) =>
      sql`SELECT payment_costs.amount FROM payment_costs
          JOIN payments ON payments.transaction_id = payment_costs.transaction_id
          WHERE payments.chain_id = ${chainId} AND payments.state IN ('signed', 'sent')
            AND payment_costs.holder = ${holder} AND payment_costs.currency = ${currency}`.pipe(
        Effect.flatMap(decodeCosts),
        Effect.map((rows) => rows.reduce((sum, row) => sum + row.amount, 0n))
      )

    const isCovered = (chainId: ChainId, cost: PaymentCost) =>
      Effect.map(committed(chainId, cost), (taken) => cost.balance - taken >= cost.amount)

    const isHeld = (chainId: ChainId) =>
      Effect.map(
        sql`SELECT chain_id FROM restorations WHERE chain_id = ${chainId} AND settled_at IS NULL`,
        (rows) => rows.length > 0
      )

    /** The payment of the other kind for the same deposit, unless it was tried in vain. */
    const isAnswered = (orderId: OrderId, leg: Leg, deposit: Deposit["onchainId"]) =>
      Effect.map(
        leg === "fill"
          ? sql`SELECT leg FROM payments WHERE order_id = ${orderId} AND leg = ${`refund:${deposit}`} AND state <> 'reverted'`
          : sql`SELECT leg FROM payments WHERE order_id = ${orderId} AND leg = 'fill' AND deposit = ${deposit} AND state <> 'reverted'`,
        (rows) => rows.length > 0
      )

    const sign = (
      leg: Leg,
      deposit: Deposit["onchainId"],
      payment: Payment,
      prepared: PreparedPayment,
      at: number
    ) =>
      sql.withTransaction(Effect.gen(function*() {
        const existing = yield* read(payment.orderId, leg)
        if (existing !== undefined) return existing
        if (yield* isHeld(payment.chain.id)) return new PaymentsHeld({ chain: payment.chain.slug })
        if (yield* isAnswered(payment.orderId, leg, deposit)) return new DepositAnswered({ by: leg === "fill" ? "refund" : "fill" })
        const sequence = yield* lockSequence(payment.chain.id, prepared.account, prepared.chainSequence)
        // Under the lock of the account's row: two that sign at once see each other's costs.
        const covered = yield* Effect.forEach(prepared.costs, (cost) => isCovered(payment.chain.id, cost))
        if (covered.includes(false)) return new PaymentRefused({ reason: "insufficient-funds" })
        yield* takeSequence(payment.chain.id, prepared.account, sequence)
        const signed = yield* prepared.sign(sequence)
        yield* sql`INSERT INTO payments ${
          sql.insert({
            order_id: payment.orderId,
            leg,
            deposit,
            chain_id: payment.chain.id,
            account: prepared.account,
            sequence: sequence.toString(),
            recipient: payment.recipient,
            currency: payment.currency.address,
            amount: payment.amount.toString(),
            transaction_id: signed.transactionId,
            raw: signed.raw,
            state: "signed",
            signed_at: at
          })
        }`
        yield* Effect.forEach(prepared.costs, ({ amount, currency, holder }) =>
          sql`INSERT INTO payment_costs ${
            sql.insert({ transaction_id: signed.transactionId, holder, currency, amount: amount.toString() })
          }`, { discard: true })
        return {
          ...signed,
          orderId: payment.orderId,
          leg,
          deposit,
          chainId: payment.chain.id,
          account: prepared.account,
          sequence,
          amount: payment.amount,
          state: "signed" as const
        }
      })).pipe(storeCall("Payments.signOnce"))

    // A refusal is an answer, not a failure of the store; by now it has taken back the transaction that it came out of.
    const signOnce: Payments["Service"]["signOnce"] = (leg, deposit, payment, prepared, at) =>
      Effect.flatMap(sign(leg, deposit, payment, prepared, at), (answer) => "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer))

    const refuseHeld: Payments["Service"]["refuseHeld"] = ({ id, slug }) =>
      Effect.flatMap(isHeld(id).pipe(storeCall("Payments.refuseHeld")), (held) => held ? Effect.fail(new PaymentsHeld({ chain: slug })) : Effect.void)

    const adopt: Payments["Service"]["adopt"] = ({ account, chainId, deposit, leg, payment, sent }, at) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO payments ${
          sql.insert({
            order_id: payment.orderId,
            leg,
            deposit,
            chain_id: chainId,
            account,
            sequence: sent.sequence.toString(),
            recipient: payment.recipient,
            currency: payment.currency,
            amount: payment.amount.toString(),
            transaction_id: sent.transactionId,
            raw: sent.raw,
            state: "sent",
            signed_at: at
          })
        } ON CONFLICT (order_id, leg) DO NOTHING`
        const kept = yield* read(payment.orderId, leg)
        return kept?.transactionId === sent.transactionId
      })).pipe(storeCall("Payments.adopt"))

    const recordOutcome: Payments["Service"]["recordOutcome"] = (orderId, leg, { block, gasPaid, state }) =>
      Effect.flatMap(encodeBlock(block), (text) =>
        sql`UPDATE payments SET state = ${state}, block = ${text}, gas_paid = ${gasPaid.toString()}
            WHERE order_id = ${orderId} AND leg = ${leg}`).pipe(Effect.asVoid, storeCall("Payments.recordOutcome"))

    const recordSent: Payments["Service"]["recordSent"] = (orderId, leg) =>
      sql`UPDATE payments SET state = 'sent' WHERE order_id = ${orderId} AND leg = ${leg} AND state = 'signed'`.pipe(
        Effect.asVoid,
        storeCall("Payments.recordSent")
      )

    const setAside: Payments["Service"]["setAside"] = ({ leg, orderId, transactionId }) =>
      sql`UPDATE payments SET leg = ${`${leg}!${transactionId}`}, state = 'void'
          WHERE order_id = ${orderId} AND leg = ${leg} AND transaction_id = ${transactionId}`.pipe(
        Effect.asVoid,
        storeCall("Payments.setAside")
      )

    const handOver: Payments["Service"]["handOver"] = ({ deposit: from, leg, orderId }, deposit) =>
      sql`UPDATE payments SET deposit = ${deposit}
          WHERE order_id = ${orderId} AND leg = ${leg} AND deposit = ${from}`.pipe(
        Effect.asVoid,
        storeCall("Payments.handOver")
      )

    return Payments.of({
      find: (orderId, leg) => read(orderId, leg).pipe(storeCall("Payments.find")),
      signOnce,
      refuseHeld,
      adopt,
      recordSent,
      recordOutcome,
      setAside,
      handOver
    })
  })
)
