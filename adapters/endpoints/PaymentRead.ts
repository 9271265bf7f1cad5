/** Reads the outcome of a payment, for any family. An answer that cannot be taken back needs the quorum (QUORUM-5). */
import { isConclusion, outcomeRule } from "../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { PaymentOutcome } from "../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { WitnessedRead } from "./QuorumReading.ts"

/**
 * How a payment of ours is rechecked: one endpoint first, and the quorum before it counts as final or as never to be
 * executed (QUORUM-5).
 */
export const paymentRead = <Client>(
  call: (client: Client) => Promise<PaymentOutcome>
): WitnessedRead<Client, PaymentOutcome> => ({
  operation: "payment outcome",
  call,
  rule: outcomeRule,
  rests: isConclusion
})
