/** A payment of the service that is signed again with other content: for holes. The key is publicly known. */
import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Result } from "effect"
import type { PreparedPayment, SignedPayment } from "../../../ports/chain/Treasury.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { readStored, writeStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { lifetimeIn } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { readSigned } from "../../../src/domain/families/tron/transaction/SignedTransaction.ts"
import { solver } from "./Terms.ts"
import { readTransaction, signedBy } from "./TronTransaction.ts"
import type { SentTransaction } from "./TronTransaction.ts"

/** A stored payment, with the height of the block that it names. Undefined for what is not of Tron. */
export const readPayment = (
  raw: string
): { readonly sent: SentTransaction; readonly height: bigint } | undefined => {
  const stored = readStored(raw)
  const sent = stored === undefined ? undefined : readTransaction(hexToBytes(stored.signedHex))
  return stored === undefined || sent === undefined ? undefined : { sent, height: stored.reference }
}

const madeOf = ({ height, sent }: NonNullable<ReturnType<typeof readPayment>>): RawData | undefined => {
  const { expiration, feeLimit, rawData, reference: { hash }, transaction: { act, memo } } = sent
  const timestamp = lifetimeIn(rawData)?.timestamp
  return act._tag === "Other" || timestamp === undefined ? undefined : {
    act,
    memo,
    reference: { height, hash: `${"0".repeat(16)}${hash}${"0".repeat(32)}` },
    expiration,
    timestamp,
    feeLimit
  }
}

const signedAgain = (signed: SignedPayment, change: (made: RawData) => RawData): SignedPayment => {
  const payment = readPayment(signed.raw)
  const made = payment === undefined ? undefined : madeOf(payment)
  if (made === undefined) return signed
  const changed = change(made)
  const again = readSigned(signedBy(solver, changed))
  const id = again === undefined ? undefined : readTransaction(signedBy(solver, changed))?.id
  return again === undefined || id === undefined ? signed : {
    transactionId: Result.getOrThrow(parseTransactionId(families["tron-vm"], id)),
    raw: writeStored(again, changed.reference.height)
  }
}

export const resigned = (prepared: PreparedPayment, change: (made: RawData) => RawData): PreparedPayment => ({
  ...prepared,
  sign: (sequence, held) => Effect.map(prepared.sign(sequence, held), (signed) => signedAgain(signed, change))
})
