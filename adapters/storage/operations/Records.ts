/** Everything recorded for a chain, in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Records } from "../../../ports/store/operations/Records.ts"
import type { KeptPayment } from "../../../src/domain/reconciliation/KeptPayment.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { StoredBlockRef } from "../../../src/domain/transfer/deposit/StoredBlockRef.ts"
import { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { JsonText, Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const ChainColumn = SqlInt.pipe(Schema.decodeTo(ChainId))

const PaymentRow = Schema.Struct({
  order_id: OrderId,
  leg: Schema.String,
  deposit: Hex32,
  chain_id: ChainColumn,
  account: Address,
  sequence: UintText,
  recipient: Address,
  currency: CurrencyAddress,
  amount: UintText,
  deposited: Schema.NullOr(UintText),
  topup: Schema.NullOr(UintText),
  transaction_id: TransactionId,
  state: Schema.Literals(["signed", "sent", "included", "reverted", "void"]),
  signed_at: Millis,
  block: Schema.NullOr(JsonText(StoredBlockRef)),
  gas_paid: Schema.NullOr(UintText)
})

const DepositRow = Schema.Struct({
  deposit: JsonText(Deposit),
  state: Schema.Literals(["open", "filled", "refunded", "gone", "foreign", "unrefundable"])
})

const decodePayments = Schema.decodeUnknownEffect(Schema.Array(PaymentRow))
const decodeDeposits = Schema.decodeUnknownEffect(Schema.Array(DepositRow))
const decodeSequences = Schema.decodeUnknownEffect(Schema.Array(
  Schema.Struct({ chain_id: ChainColumn, account: Address, first: Schema.NullOr(UintText), next: UintText })
))
const decodeScanned = Schema.decodeUnknownEffect(Schema.Array(
  Schema.Struct({ height: Cursor.fields.height, hash: Schema.String, anchored: Schema.NullOr(UintText) })
))
const decodePromised = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  order_id: OrderId,
  part: Schema.Literals(["output", "topup"]),
  chain_id: ChainColumn,
  currency: CurrencyAddress,
  holding: Schema.Literals(["account", "vault"]),
  amount: UintText
})))
const decodeExposed = Schema.decodeUnknownEffect(Schema.Array(
  Schema.Struct({ onchain_id: Hex32, chain_id: ChainColumn, account: Address, usd_micros: UintText })
))

const toPayment = (row: typeof PaymentRow.Type): KeptPayment => ({
  orderId: row.order_id,
  leg: row.leg,
  deposit: row.deposit,
  chainId: row.chain_id,
  account: row.account,
  sequence: row.sequence,
  recipient: row.recipient,
  currency: row.currency,
  amount: row.amount,
  ...(row.deposited === null ? {} : { deposited: row.deposited }),
  ...(row.topup === null ? {} : { topup: row.topup }),
  transactionId: row.transaction_id,
  state: row.state,
  signedAt: row.signed_at,
  block: row.block ?? undefined,
  gasPaid: row.gas_paid ?? undefined
})

export const layer = Layer.effect(
  Records,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const payments: Records["Service"]["payments"] = (chainId) =>
      sql`SELECT order_id, leg, deposit, chain_id, account, sequence, recipient, currency, amount, deposited, topup, transaction_id, state, signed_at, block, gas_paid
          FROM payments WHERE chain_id = ${chainId}`.pipe(
        Effect.flatMap(decodePayments),
        // Sequences are stored as text, which sorts 10 before 9.
        Effect.map((rows) => rows.map(toPayment).toSorted((one, other) => Number(one.sequence - other.sequence))),
        storeCall("Records.payments")
      )

    const deposits: Records["Service"]["deposits"] = (chainId) =>
      sql`SELECT deposit, state FROM deposits WHERE chain_id = ${chainId} ORDER BY seen_at, onchain_id`.pipe(
        Effect.flatMap(decodeDeposits),
        storeCall("Records.deposits")
      )

    const sequences: Records["Service"]["sequences"] = (chainId) =>
      sql`SELECT chain_id, account, first, next FROM account_sequences WHERE chain_id = ${chainId}`.pipe(
        Effect.flatMap(decodeSequences),
        Effect.map((rows) =>
          rows.map(({ account, chain_id, first, next }) => ({
            chainId: chain_id,
            account,
            first: first ?? undefined,
            next
          }))
        ),
        storeCall("Records.sequences")
      )

    const scanned: Records["Service"]["scanned"] = (chainId) =>
      sql`SELECT height, hash, anchored FROM cursors WHERE chain_id = ${chainId}`.pipe(
        Effect.flatMap(decodeScanned),
        Effect.map(([row]) =>
          row === undefined
            ? undefined
            : { cursor: { height: row.height, hash: row.hash }, anchored: row.anchored ?? undefined }
        ),
        storeCall("Records.scanned")
      )

    const promised = sql`SELECT order_id, 'output' AS part, chain_id, currency, holding, amount FROM promises
        UNION ALL SELECT order_id, 'topup' AS part, chain_id, currency, holding, amount FROM topup_promises`.pipe(
      Effect.flatMap(decodePromised),
      Effect.map((rows) =>
        rows.map(({ chain_id, order_id, ...rest }) => ({ ...rest, orderId: order_id, chainId: chain_id }))
      ),
      storeCall("Records.promised")
    )

    const exposed = sql`SELECT onchain_id, chain_id, account, usd_micros FROM exposures`.pipe(
      Effect.flatMap(decodeExposed),
      Effect.map((rows) =>
        rows.map((row) => ({
          onchainId: row.onchain_id,
          chainId: row.chain_id,
          user: row.account,
          usdMicros: row.usd_micros
        }))
      ),
      storeCall("Records.exposed")
    )

    return Records.of({ payments, deposits, sequences, scanned, promised, exposed })
  })
)
