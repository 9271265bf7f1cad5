/**
 * The claims of payments (`PaymentClaim`). A payment gets them in the transaction that signs it, and keeps them until
 * it is set aside: what is in a block has spent them, and gets them back if a reorg takes it out again.
 */
import { Array as Arr, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { PaymentClaim, PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import type { AccountPayment, Claimant } from "../../../../ports/chain/Treasury.ts"
import { inTime } from "../../../../ports/signing/InTime.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"

const decodeHeld = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ claim: Schema.String, transaction_id: TransactionId, raw: Schema.String }))
)

/** How often a payment is signed in one transaction, when it would claim what it was not shown. */
const TRIES = 4

export const paymentClaims = (sql: SqlClient.SqlClient) => {
  /** The payments that hold claims of which this is true. */
  const claimants = Effect.fnUntraced(function*(chainId: ChainId, condition: Statement.Fragment) {
    const rows = yield* Effect.flatMap(
      sql`SELECT c.claim, p.transaction_id, p.raw FROM payment_claims c
          JOIN payments p ON p.chain_id = c.chain_id AND p.account = c.account AND p.sequence = c.sequence
          WHERE c.chain_id = ${chainId} AND ${condition} ORDER BY p.signed_at, p.transaction_id, c.claim`,
      decodeHeld
    )
    return [...Map.groupBy(rows, (row) => row.transaction_id)].flatMap(
      ([transactionId, held]): ReadonlyArray<Claimant> => {
        const [first] = held
        return first === undefined
          ? []
          : [{ transactionId, raw: first.raw, claims: held.map(({ claim }) => PaymentClaim(claim)) }]
      }
    )
  })

  /** Whether a payment holds one of them. */
  const isClaimed = (chainId: ChainId, claims: ReadonlyArray<PaymentClaim>) =>
    Effect.map(
      sql`SELECT claim FROM payment_claims WHERE chain_id = ${chainId} AND ${sql.in("claim", claims)} LIMIT 1`,
      (rows) => rows.length > 0
    )

  /**
   * Signs, beside what others hold: the payments with claims that are in no block yet, and those that hold something
   * claimable. Under the account's lock, so that a payment which was signed before it is among them. A refusal is an
   * answer, not a failure of the store.
   */
  const signWith = Effect.fnUntraced(function*(chainId: ChainId, chosen: AccountPayment, sequence: bigint) {
    const { claimable } = chosen
    let others = claimable === undefined
      ? []
      : yield* claimants(chainId, sql`(p.state IN ('signed', 'sent') OR ${sql.in("c.claim", claimable)})`)
    for (let tries = 0; tries < TRIES; tries += 1) {
      const signed = yield* Effect.catchTag(inTime(chosen.sign(sequence, others)), "PaymentRefused", Effect.succeed)
      if (signed instanceof PaymentRefused || signed.claims === undefined) return signed
      // A payment whose block is recorded may hold what another made that is in no block: signed again, beside it too.
      const held = yield* claimants(chainId, sql.in("c.claim", signed.claims))
      if (held.length === 0) return signed
      others = [...others, ...held]
    }
    return new PaymentRefused({ reason: "insufficient-funds" })
  })

  /** One statement, or none where nothing is claimed. */
  const addClaims = (
    { account, chainId, sequence }: Pick<StoredPayment, "account" | "chainId" | "sequence">,
    claims: ReadonlyArray<PaymentClaim>
  ) =>
    Arr.isReadonlyArrayNonEmpty(claims)
      ? [
        sql`INSERT INTO payment_claims ${
          sql.insert(
            Arr.map(claims, (claim) => ({ chain_id: chainId, claim, account, sequence: sequence.toString() }))
          )
        }`
      ]
      : []

  /** Frees the claims of a payment that was set aside. */
  const freeClaims = ({ account, chainId, sequence }: Pick<StoredPayment, "account" | "chainId" | "sequence">) =>
    sql`DELETE FROM payment_claims
        WHERE chain_id = ${chainId} AND account = ${account} AND sequence = ${sequence.toString()} AND EXISTS (
          SELECT 1 FROM payments p WHERE p.chain_id = payment_claims.chain_id AND p.account = payment_claims.account
            AND p.sequence = payment_claims.sequence AND p.state = 'void')`

  return { signWith, isClaimed, addClaims, freeClaims }
}
