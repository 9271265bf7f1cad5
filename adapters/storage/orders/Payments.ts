/** Payments in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Payments, PaymentsHeld } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, PaymentVariant, StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { topupIn } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { PaymentCost, PreparedPayment, PreparedReplacement, SignedPayment } from "../../../ports/chain/Treasury.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { BlockRef } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { JsonText, Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { countSigned } from "../ledger/UnattestedRefunds.ts"

const LegColumn = Schema.Union([
  Schema.Literals(["fill", "fallback", "payout", "sweep", "permit", "settlement"]),
  Schema.TemplateLiteral(["refund:", Schema.String]),
  Schema.TemplateLiteral(["excess:", Schema.String])
])

const Row = Schema.Struct({
  order_id: OrderId,
  leg: LegColumn,
  deposit: Hex32,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  account: Address,
  sequence: UintText,
  currency: CurrencyAddress,
  amount: UintText,
  transaction_id: TransactionId,
  raw: Schema.String,
  state: Schema.Literals(["signed", "sent", "included", "reverted"]),
  gas_paid: Schema.NullOr(UintText),
  variant_id: TransactionId,
  variant_raw: Schema.String,
  variant_signed_at: Millis
})

/** A payment and its variants, one row for each of them. */
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeIncluded = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ order_id: OrderId, leg: LegColumn, block: JsonText(BlockRef) }))
)
const decodeLegs = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ leg: LegColumn })))
const decodeNext = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ next: UintText })))
const decodeCosts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ amount: UintText })))
const decodeHolderCosts = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ holder: Address, currency: CurrencyAddress, amount: UintText }))
)
const encodeBlock = Schema.encodeEffect(JsonText(BlockRef))

const toVariant = ({ variant_id, variant_raw, variant_signed_at }: typeof Row.Type): PaymentVariant => ({
  transactionId: variant_id,
  raw: variant_raw,
  signedAt: variant_signed_at
})

const toPayment = ([row, ...others]: ReadonlyArray<typeof Row.Type>): StoredPayment | undefined =>
  row === undefined ? undefined : {
    orderId: row.order_id,
    leg: row.leg,
    deposit: row.deposit,
    chainId: row.chain_id,
    account: row.account,
    sequence: row.sequence,
    currency: row.currency,
    amount: row.amount,
    transactionId: row.transaction_id,
    raw: row.raw,
    state: row.state,
    ...(row.gas_paid === null ? {} : { gasPaid: row.gas_paid }),
    variants: [toVariant(row), ...others.map(toVariant)]
  }

/** What an order is paid by on its destination: one of the two, for whichever of its deposits. */
const isDelivery = (leg: PaymentPurpose): boolean => leg === "fill" || leg === "fallback"

/** Nothing where there is none, as in rows of versions before. */
const topupText = (topup = 0n): string | null => topup === 0n ? null : topup.toString()

/** A transaction is open while a payment is signed, and others wait for the account's row, on SQLite for the store. */
const SIGN_WITHIN = "5 seconds"

const inTime = <A>(signing: Effect.Effect<A, SignerUnavailable>) =>
  Effect.timeoutOrElse(signing, {
    duration: SIGN_WITHIN,
    orElse: () => Effect.fail(new SignerUnavailable({ fault: "unreachable" }))
  })

/** An answer, by now: the transaction that it came out of is taken back, and the store has not failed. */
const unsigned = <A, E, R>(signing: Effect.Effect<A, E | SignerUnavailable, R>) =>
  Effect.catchIf(signing, (error) => error instanceof SignerUnavailable, Effect.succeed)

export const layer = Layer.effect(
  Payments,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const selected = sql.literal(
      `SELECT p.order_id, p.leg, p.deposit, p.chain_id, p.account, p.sequence, p.currency, p.amount, p.transaction_id, p.raw, p.state, p.gas_paid,
      v.transaction_id AS variant_id, v.raw AS variant_raw, v.signed_at AS variant_signed_at
      FROM payments p JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence`
    )

    const read = (orderId: OrderId, leg: string) =>
      sql`${selected} WHERE p.order_id = ${orderId} AND p.leg = ${leg} ORDER BY v.variant`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map(toPayment)
      )

    /**
     * Which of the order's payments a leg of the deposit cannot stand beside: of the deposit all but a fill, or what is
     * delivered in its place, and its excess; of the order a fill beside that.
     */
    const excluding = (leg: PaymentPurpose, deposit: Deposit["onchainId"]) => {
      if (leg.startsWith("excess:")) {
        return sql`((p.deposit = ${deposit} AND p.leg NOT IN ('fill', 'fallback')) OR p.leg LIKE 'excess:%')`
      }
      return isDelivery(leg)
        ? sql`((p.deposit = ${deposit} AND p.leg NOT LIKE 'excess:%') OR p.leg IN ('fill', 'fallback'))`
        : sql`p.deposit = ${deposit}`
    }

    /** A fill before its excess, which may both stand in the way of a refund. */
    const standing = Effect.fnUntraced(function*(orderId: OrderId, leg: PaymentPurpose, deposit: Deposit["onchainId"]) {
      const [other] = yield* decodeLegs(
        yield* sql`SELECT p.leg FROM payments p WHERE p.order_id = ${orderId} AND p.leg <> ${leg} AND ${
          excluding(leg, deposit)
        }
            AND p.state IN ('signed', 'sent', 'included') ORDER BY p.leg DESC`
      )
      return other === undefined ? undefined : yield* read(orderId, other.leg)
    })

    /**
     * The payment that stands under another leg of the order and excludes this one. Whoever asks holds the deposit's
     * row until the end of its transaction, so that two that sign for one deposit see each other, on whatever chain
     * each pays; and for an excess the fill's, so that two deposits see each other.
     */
    const readOther = Effect.fnUntraced(
      function*(orderId: OrderId, leg: PaymentPurpose, deposit: Deposit["onchainId"]) {
        yield* sql`UPDATE deposits SET state = state WHERE onchain_id = ${deposit}`
        if (leg.startsWith("excess:")) {
          yield* sql`UPDATE payments SET state = state WHERE order_id = ${orderId} AND leg IN ('fill', 'fallback')`
        }
        return yield* standing(orderId, leg, deposit)
      }
    )

    const addVariant = (
      { account, chainId, sequence }: Pick<StoredPayment, "account" | "chainId" | "sequence">,
      variant: number,
      { raw, transactionId }: SignedPayment,
      at: number
    ) =>
      sql`INSERT INTO payment_variants ${
        sql.insert({
          transaction_id: transactionId,
          chain_id: chainId,
          account,
          sequence: sequence.toString(),
          variant,
          raw,
          signed_at: at
        })
      }`

    const addCosts = (
      transactionId: TransactionId,
      costs: ReadonlyArray<Pick<PaymentCost, "amount" | "currency" | "holder">>
    ) =>
      Effect.forEach(
        costs,
        ({ amount, currency, holder }) =>
          sql`INSERT INTO payment_costs ${
            sql.insert({ transaction_id: transactionId, holder, currency, amount: amount.toString() })
          }`,
        { discard: true }
      )

    /**
     * The next sequence of an account: what we counted, unless the chain is further. The upsert takes the row's lock.
     */
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

    const sign = (
      leg: PaymentPurpose,
      deposit: Deposit["onchainId"],
      payment: Payment,
      prepared: PreparedPayment,
      at: number
    ) =>
      sql.withTransaction(Effect.gen(function*() {
        const existing = (yield* readOther(payment.orderId, leg, deposit)) ?? (yield* read(payment.orderId, leg))
        if (existing !== undefined) return existing
        if (yield* isHeld(payment.chain.id)) return new PaymentsHeld({ chain: payment.chain.slug })
        const sequence = yield* lockSequence(payment.chain.id, prepared.account, prepared.chainSequence)
        // Under the lock of the account, which pays both: two deposits of the order, one with its fill and one with
        // what takes its place, see each other.
        const delivered = isDelivery(leg) ? yield* standing(payment.orderId, leg, deposit) : undefined
        if (delivered !== undefined) return delivered
        // Under the lock of the account's row: two that sign at once see each other's costs.
        const covered = yield* Effect.forEach(prepared.costs, (cost) => isCovered(payment.chain.id, cost))
        if (covered.includes(false)) return new PaymentRefused({ reason: "insufficient-funds" })
        yield* takeSequence(payment.chain.id, prepared.account, sequence)
        const signed = yield* inTime(prepared.sign(sequence))
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
            topup: topupText(topupIn(payment)),
            transaction_id: signed.transactionId,
            raw: signed.raw,
            state: "signed",
            signed_at: at
          })
        }`
        const place = { chainId: payment.chain.id, account: prepared.account, sequence }
        yield* addVariant(place, 0, signed, at)
        yield* countSigned(sql, { ...place, deposit, leg }, at)
        yield* addCosts(signed.transactionId, prepared.costs)
        return {
          ...signed,
          ...place,
          orderId: payment.orderId,
          leg,
          deposit,
          currency: payment.currency.address,
          amount: payment.amount,
          state: "signed",
          variants: [{ ...signed, signedAt: at }]
        } satisfies StoredPayment
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

    const adopt: Payments["Service"]["adopt"] = ({ account, chainId, deposit, leg, payment, sent }, at) =>
      sql.withTransaction(Effect.gen(function*() {
        // Where its chain does not count, the payment is numbered here like every other.
        const sequence = sent.sequence ?? (yield* lockSequence(chainId, account, 0n))
        yield* sql`INSERT INTO payments ${
          sql.insert({
            order_id: payment.orderId,
            leg,
            deposit,
            chain_id: chainId,
            account,
            sequence: sequence.toString(),
            recipient: payment.recipient,
            currency: payment.currency,
            amount: payment.amount.toString(),
            topup: topupText(payment.topup),
            transaction_id: sent.transactionId,
            raw: sent.raw,
            state: "sent",
            signed_at: at
          })
        } ON CONFLICT (order_id, leg) DO NOTHING`
        const kept = yield* read(payment.orderId, leg)
        if (kept !== undefined) return kept.transactionId === sent.transactionId
        if (sent.sequence === undefined) yield* takeSequence(chainId, account, sequence)
        yield* addVariant({ chainId, account, sequence }, 0, sent, at)
        yield* countSigned(sql, { chainId, deposit, leg }, at)
        return true
      })).pipe(storeCall("Payments.adopt"))

    const adoptVariant: Payments["Service"]["adoptVariant"] = ({ account, chainId, payment, sent }, at) =>
      sent.sequence === undefined ?
        Effect.void :
        sql`INSERT INTO payment_variants (transaction_id, chain_id, account, sequence, variant, raw, signed_at)
          SELECT ${sent.transactionId}, p.chain_id, p.account, p.sequence,
            (SELECT COUNT(*) FROM payment_variants v WHERE v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence), ${sent.raw}, CAST(${at} AS BIGINT)
          FROM payments p
          WHERE p.chain_id = ${chainId} AND p.account = ${account} AND p.sequence = ${sent.sequence.toString()} AND p.order_id = ${payment.orderId}
          ON CONFLICT (transaction_id) DO NOTHING`.pipe(Effect.asVoid, storeCall("Payments.adoptVariant"))

    const costsOf = (transactionId: TransactionId) =>
      Effect.flatMap(
        sql`SELECT holder, currency, amount FROM payment_costs WHERE transaction_id = ${transactionId}`,
        decodeHolderCosts
      )

    const replaceIn = ({ leg, orderId, variants }: StoredPayment, { extra, sign }: PreparedReplacement, at: number) =>
      sql.withTransaction(Effect.gen(function*() {
        // The row is held until the end: of two that replace at once, the second finds what the first has signed.
        yield* sql`UPDATE payments SET state = state WHERE order_id = ${orderId} AND leg = ${leg}`
        const now = yield* read(orderId, leg)
        const newest = now?.variants.at(-1)
        if (
          now === undefined || newest === undefined || now.variants.length !== variants.length ||
          now.state === "reverted"
        ) return now
        yield* lockSequence(now.chainId, now.account, now.sequence)
        const isRaised = ({ currency, holder }: Pick<PaymentCost, "currency" | "holder">) =>
          currency === extra.currency && holder === extra.holder
        const costs = (yield* costsOf(newest.transactionId)).map((cost) =>
          isRaised(cost) ? { ...cost, amount: cost.amount + extra.amount } : cost
        )
        // What was in a block and is not any more is not among what is committed: all of it has to be covered again.
        const needed = now.state === "included" ? costs.find(isRaised)?.amount ?? extra.amount : extra.amount
        if (!(yield* isCovered(now.chainId, { ...extra, amount: needed }))) return "refused"
        const signed = yield* inTime(sign)
        yield* addVariant(now, variants.length, signed, at)
        yield* addCosts(signed.transactionId, costs)
        yield* sql`UPDATE payments SET transaction_id = ${signed.transactionId}, raw = ${signed.raw}, state = 'signed', block = NULL, gas_paid = NULL
            WHERE order_id = ${orderId} AND leg = ${leg}`
        return yield* read(orderId, leg)
      })).pipe(unsigned, storeCall("Payments.replace"))

    const replace: Payments["Service"]["replace"] = Effect.fnUntraced(function*(payment, replacement, at) {
      const kept = yield* replaceIn(payment, replacement, at)
      if (kept === "refused") return yield* new PaymentRefused({ reason: "insufficient-funds" })
      return kept instanceof SignerUnavailable ? yield* kept : kept
    })

    const recordOutcome: Payments["Service"]["recordOutcome"] = (
      orderId,
      leg,
      { block, gasPaid, state, transactionId }
    ) =>
      Effect.flatMap(
        encodeBlock(block),
        (text) =>
          sql`UPDATE payments SET state = ${state}, block = ${text}, gas_paid = ${gasPaid.toString()}, transaction_id = ${transactionId},
              raw = (SELECT raw FROM payment_variants WHERE transaction_id = ${transactionId})
            WHERE order_id = ${orderId} AND leg = ${leg}`
      ).pipe(Effect.asVoid, storeCall("Payments.recordOutcome"))

    const recordSent: Payments["Service"]["recordSent"] = ({ leg, orderId, transactionId }) =>
      sql`UPDATE payments SET state = 'sent'
          WHERE order_id = ${orderId} AND leg = ${leg} AND state = 'signed' AND transaction_id = ${transactionId}`.pipe(
        Effect.asVoid,
        storeCall("Payments.recordSent")
      )

    const included: Payments["Service"]["included"] = (chainId, limit) =>
      sql`SELECT order_id, leg, block FROM payments WHERE chain_id = ${chainId} AND state = 'included' ORDER BY signed_at DESC LIMIT ${limit}`
        .pipe(
          Effect.flatMap(decodeIncluded),
          Effect.flatMap((names) =>
            Effect.forEach(
              names,
              ({ block, leg, order_id }) =>
                Effect.map(read(order_id, leg), (payment) => payment === undefined ? undefined : { ...payment, block })
            )
          ),
          Effect.map((found) => found.filter((payment) => payment !== undefined)),
          storeCall("Payments.included")
        )

    const setAside: Payments["Service"]["setAside"] = (
      { account, chainId, leg, orderId, sequence, transactionId, variants }
    ) =>
      sql`UPDATE payments SET leg = ${`${leg}!${transactionId}`}, state = 'void'
          WHERE order_id = ${orderId} AND leg = ${leg} AND transaction_id = ${transactionId}
            AND (SELECT COUNT(*) FROM payment_variants
                 WHERE chain_id = ${chainId} AND account = ${account} AND sequence = ${sequence.toString()}) = ${variants.length}`
        .pipe(
          Effect.asVoid,
          storeCall("Payments.setAside")
        )

    const handOver: Payments["Service"]["handOver"] = ({ deposit: from, leg, orderId }, deposit) =>
      sql`UPDATE payments SET deposit = ${deposit}
          WHERE order_id = ${orderId} AND leg = ${leg} AND deposit = ${from}`.pipe(
        Effect.asVoid,
        storeCall("Payments.handOver")
      )

    const signed: Payments["Service"]["signed"] = (transactionId) =>
      sql`SELECT transaction_id FROM payment_variants WHERE transaction_id = ${transactionId}`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeCall("Payments.signed")
      )

    return Payments.of({
      find: (orderId, leg) => read(orderId, leg).pipe(storeCall("Payments.find")),
      signed,
      signOnce,
      refuseHeld,
      adopt,
      adoptVariant,
      replace,
      recordSent,
      recordOutcome,
      included,
      setAside,
      handOver
    })
  })
)
