/**
 * The attestation oracles that are asked for signatures (ORACLE-2). What they answer is foreign: bounded and decoded,
 * and worth nothing before it is compared with what this service expects (`collectSignatures`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DepositClaim } from "../../src/domain/evidence/judges/JudgeDeposits.ts"
import type { RefusalReason } from "../../src/domain/evidence/judges/Refusal.ts"
import type { PeerExecution } from "../../src/domain/quorum/ExecutionSignature.ts"
import type { FillClaim, RefundClaim } from "../../src/domain/hub/SettlementMessage.ts"

/** What an oracle is asked to attest. */
export type Claim = DepositClaim | FillClaim | RefundClaim

/** What became of asking one oracle. */
export type OracleAnswer =
  /** A shadow's signatures are not relied on. */
  | { readonly _tag: "Attested"; readonly execution: PeerExecution; readonly isShadow: boolean }
  /** It does not attest the claim; without a reason that is known here it says nothing of why. */
  | { readonly _tag: "Refused"; readonly reason: RefusalReason | undefined }
  /** `unauthorized`: it does not know our key. `unavailable`: it says that it cannot answer now. */
  | { readonly _tag: "Failed"; readonly why: "unreachable" | "unavailable" | "unauthorized" | "garbage" }

/** One of those that ORACLE_URL names. */
export interface Oracle {
  /** Its host: for logs and metrics, and no secret. */
  readonly name: string
  /** Takes as long as it takes: whoever asks has a deadline, and by ending takes the request back. */
  readonly ask: (claim: Claim) => Effect.Effect<OracleAnswer>
}

export class Oracles extends Context.Service<Oracles, {
  readonly all: ReadonlyArray<Oracle>
}>()("causeway/ports/Oracles") {}
