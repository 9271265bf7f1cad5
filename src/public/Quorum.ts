/** Agreement: of the endpoints of a chain on evidence, and of peers on an execution (QUORUM-1). */
export { agreeAmong, agreeSoFar, type EndpointReading, type Heard } from "../domain/quorum/AgreeSoFar.ts"
export { agreeOnEvidence, type Agreement, type EndpointAnswer } from "../domain/quorum/AgreeOnEvidence.ts"
export {
  type EndpointQuorum,
  hostOf,
  ImpossibleQuorum,
  isMajority,
  makeEndpointQuorum,
  tolerated
} from "../domain/quorum/EndpointQuorum.ts"
export { ExecutionSignature, PeerExecution } from "../domain/quorum/ExecutionSignature.ts"
export {
  type CollectedSignatures,
  collectSignatures,
  isComplete,
  type LocalAssessment,
  type MeasuredPeer,
  type PeerAnswer,
  type PeerOutcome
} from "../domain/quorum/PeerSignatures.ts"
export { makePeerPolicy, type PeerPolicy } from "../domain/quorum/PeerThreshold.ts"
export { pinBlock, type PinnedBlock, type ReportedHeads } from "../domain/quorum/PinnedBlock.ts"
export { EndpointsDisagree, TooFewAnswers } from "../domain/quorum/QuorumFailure.ts"
