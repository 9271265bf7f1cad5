/**
 * `causeway-kit/adapters/endpoints`: how the transfer service reads and writes a chain of any family, by one endpoint
 * or under a quorum of them. A family defines how one endpoint is called.
 */
export { confirmedSequence } from "./sent/ConfirmedSequence.ts"
export { depositRead } from "./DepositRead.ts"
export { directPaymentRead } from "./DirectPaymentRead.ts"
export { NodeIsBehind } from "./NodeIsBehind.ts"
export { paymentRead } from "./PaymentRead.ts"
export { readHeads } from "./ReadHeads.ts"
export { readFinality } from "./ReadFinality.ts"
export { scanFinal } from "./ScanFinal.ts"
export { readPosition, sentBetween, type SentReads } from "./sent/SentRead.ts"
export type { EndpointFamily, EndpointFault, Run, Steps } from "./AskEndpoint.ts"
export type { WitnessedRead } from "./QuorumReading.ts"
export { type ListedEndpoints, makeRotation, type Rotation } from "./Rotation.ts"
