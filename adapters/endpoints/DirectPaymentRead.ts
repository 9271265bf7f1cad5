/** Reads the state of a user's own payment, for any family. An answer that cannot be taken back needs the quorum. */
import { isSettling, standingPaymentRule } from "../../src/domain/transfer/payment/StandingPayment.ts"
import type { StandingPayment } from "../../src/domain/transfer/payment/StandingPayment.ts"
import type { WitnessedRead } from "./QuorumReading.ts"

/** How a direct payment is rechecked: one endpoint first, and the quorum where the answer would be final (QUORUM-5). */
export const directPaymentRead = <Client>(
  call: (client: Client) => Promise<StandingPayment | undefined>
): WitnessedRead<Client, StandingPayment | undefined> => ({
  operation: "a send again",
  call,
  rule: standingPaymentRule,
  rests: isSettling
})
