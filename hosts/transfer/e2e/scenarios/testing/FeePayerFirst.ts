/**
 * A deposit whose fee payer signs first: the required signers, a node's answer to a missing or wrong signature, and
 * which signature is the transaction's id.
 */
import { assert } from "@effect/vitest"
import { getSignatureFromTransaction } from "@solana/kit"
import { Cause, Effect, Exit } from "effect"
import { sendSigned, signedBy, unsignedOf } from "../../../testing/SolanaClient.ts"
import type { SolanaTransaction } from "../../../testing/SolanaClient.ts"
import type { Carry, Deposit } from "./SolanaFixture.ts"

/** A node's message about a transaction that it refuses. */
const refused = Effect.fnUntraced(function*(url: string, transaction: SolanaTransaction) {
  const exit = yield* Effect.exit(sendSigned(url, transaction))
  if (Exit.isSuccess(exit)) return yield* Effect.die(new Error("a node took it"))
  const error = Cause.squash(exit.cause)
  return error instanceof Error ? error.message : String(error)
})

/** The lowest byte of the amount, after the eight bytes that name the instruction. */
const anotherAmount = (deposit: Deposit): Deposit => ({
  ...deposit,
  instructions: deposit.instructions.map((each, index) =>
    index < deposit.instructions.length - 1
      ? each
      : { ...each, data: `${each.data.slice(0, 16)}01${each.data.slice(18)}` }
  )
})

export const feePayerFirst: Carry = Effect.fnUntraced(function*({ solana: { url } }, { feePayer, user }, deposit) {
  if (feePayer === undefined) return assert.fail("nobody else pays")
  const unsigned = yield* unsignedOf(url, deposit)
  const alone = yield* refused(url, yield* signedBy(user, unsigned))
  const handed = yield* signedBy(feePayer, unsigned)
  const other = yield* unsignedOf(url, anotherAmount(deposit))
  const passedOff: SolanaTransaction = {
    ...other,
    signatures: { ...other.signatures, [feePayer.address]: handed.signatures[feePayer.address] ?? null }
  }
  const changed = yield* refused(url, yield* signedBy(user, passedOff))
  const { signature } = yield* sendSigned(url, yield* signedBy(user, handed))
  assert.strictEqual(signature, getSignatureFromTransaction(handed))
  return {
    signature,
    told: [
      `The step's \`feePayer\` is ${deposit.feePayer}. Its transaction is signed, in this order, by ${
        Object.keys(unsigned.signatures).join(" and ")
      }.`,
      `Signed by the user alone: a node answers "${alone}".`,
      `Signed by the fee payer, who hands it to the user; had the user another amount signed with it, a node would answer "${changed}".`,
      "The user signs what it was handed, and sends it. The transaction's id is the fee payer's signature, known before the user signs: it is in `inTxHashes` of the request."
    ]
  }
})
