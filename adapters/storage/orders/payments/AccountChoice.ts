/**
 * Which account signs a payment that several could make: read in the transaction that signs, before the lock of the
 * chosen account is taken.
 *
 * Accounts do not wait for each other, so another payment may be signed with the chosen one meanwhile. SECURITY: what
 * decides is read again under its lock (`SigningFacts`), and the choice is made again where it does not cover any more.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { AccountPayment, PreparedPayment } from "../../../../ports/chain/Treasury.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { chooseAccount } from "../../../../src/domain/transfer/payment/ChooseAccount.ts"
import { Millis, SqlCount, UintText } from "../../engine/Columns.ts"

const decodeTaken = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ holder: Address, currency: CurrencyAddress, amount: UintText }))
)

const decodeInFlight = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ account: Address, count: SqlCount, oldest: Millis }))
)

export const accountChoice = (sql: SqlClient.SqlClient) => {
  /** The payment by one of its accounts. By the first where none covers it: the refusal is decided under its lock. */
  const choose = Effect.fnUntraced(
    function*({ chain }: Pick<Payment, "chain">, prepared: PreparedPayment, at: number) {
      const { others = [] } = prepared
      if (others.length === 0) return prepared
      const all: ReadonlyArray<AccountPayment> = [prepared, ...others]
      const inFlight = yield* Effect.flatMap(
        sql`SELECT account, COUNT(*) AS count, MIN(signed_at) AS oldest FROM payments
            WHERE chain_id = ${chain.id} AND state IN ('signed', 'sent')
              AND ${sql.in("account", all.map(({ account }) => account))} GROUP BY account`,
        decodeInFlight
      )
      const holders = new Set(all.flatMap(({ costs }) => costs.map(({ holder }) => holder)))
      const taken = yield* Effect.flatMap(
        sql`SELECT c.holder, c.currency, c.amount FROM payment_costs c
            JOIN payments p ON p.transaction_id = c.transaction_id
            WHERE p.chain_id = ${chain.id} AND p.state IN ('signed', 'sent') AND ${sql.in("c.holder", [...holders])}`,
        decodeTaken
      )
      const covers = ({ costs }: AccountPayment): boolean =>
        costs.every(({ amount, balance, currency, holder }) =>
          taken.reduce(
            (left, each) => each.holder === holder && each.currency === currency ? left - each.amount : left,
            balance
          ) >= amount
        )
      const facts = all.map((by) => {
        const own = inFlight.find(({ account }) => account === by.account)
        return { by, covers: covers(by), inFlight: own?.count ?? 0, oldest: own?.oldest }
      })
      return chooseAccount(facts, chain, at)?.by ?? prepared
    }
  )

  return { choose }
}
