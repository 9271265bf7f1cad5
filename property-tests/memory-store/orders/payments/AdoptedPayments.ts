/** Payments that a chain shows and the store forgot: recorded as they are, after a restore. */
import type { FoundPayment, Payments } from "../../../../ports/store/orders/Payments.ts"
import { countSigned } from "../../ledger/UnattestedRefunds.ts"
import type { MemoryStore } from "../../MemoryStore.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"
import { nextSequence, takeSequence } from "./AccountSequences.ts"
import { addPayment, addVariant, readPayment } from "./StoredPayments.ts"

const adopt = (
  tables: Tables,
  { chainId, deposit, leg, payment, sent }: FoundPayment,
  at: number
): boolean => {
  const { account } = sent
  // Where its chain does not count, the payment is numbered here like every other.
  const sequence = sent.sequence ?? nextSequence(tables, chainId, account, 0n)
  const known = readPayment(tables, payment.orderId, leg)
  if (known !== undefined) return known.transactionId === sent.transactionId
  const { topup = 0n } = payment
  addPayment(tables, {
    orderId: payment.orderId,
    leg,
    deposit,
    chainId,
    account,
    sequence,
    recipient: payment.recipient,
    currency: payment.currency,
    amount: payment.amount,
    deposited: tables.deposits.get(deposit)?.deposit.amount,
    topup: topup === 0n ? undefined : topup,
    transactionId: sent.transactionId,
    raw: sent.raw,
    state: "sent",
    signedAt: at,
    block: undefined,
    gasPaid: undefined
  })
  if (sent.sequence === undefined) takeSequence(tables, chainId, account, sequence)
  addVariant(tables, { chainId, account, sequence }, 0, sent, at)
  countSigned(tables, { chainId, deposit, leg }, at)
  return true
}

const adoptVariant = (
  tables: Tables,
  { chainId, payment, sent }: Pick<FoundPayment, "chainId" | "payment" | "sent">,
  at: number
): void => {
  if (sent.sequence === undefined || tables.variants.has(sent.transactionId)) return
  const place = keyOf(chainId, sent.account, sent.sequence)
  const [row] = tables.paymentsAt(place)
  if (row?.orderId !== payment.orderId) return
  addVariant(tables, row, tables.variantsAt(place).length, sent, at)
}

export const adoptedPayments = (
  { call }: MemoryStore["Service"]
): Pick<Payments["Service"], "adopt" | "adoptVariant"> => ({
  adopt: (found, at) => call("Payments.adopt", (tables) => adopt(tables, found, at)),
  adoptVariant: (found, at) => call("Payments.adoptVariant", (tables) => adoptVariant(tables, found, at))
})
