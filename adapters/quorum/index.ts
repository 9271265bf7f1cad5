/**
 * `causeway-kit/adapters/quorum`: how an oracle reads a chain of any family, under a quorum of its endpoints. A family
 * defines how one endpoint is asked.
 */
export {
  DEADLINE_MS,
  type Endpoint,
  observedEndpoints,
  type ObservedEndpoints,
  openEndpoints,
  type OpenClient
} from "./Endpoints.ts"
export { type FamilyReader } from "./AskEndpoints.ts"
export { type FamilyQuorums, makeObserver } from "./Observing.ts"
export { makeWithdrawalObserver, type WithdrawalReader } from "./ObservingWithdrawals.ts"
export { type CheckedEndpoints, type FamilyCheck, makeFacts } from "./ReadingFacts.ts"
export { type AtFinal, type FinalReading, readableHosts, readAtFinal } from "./ReadAtFinal.ts"
export type { ReadFault } from "./ReadFault.ts"
export { type HttpAnswer, type HttpCall, type HttpJson, makeHttpJson } from "./rpc/HttpJson.ts"
export { jsonRpc } from "./Endpoints.ts"
