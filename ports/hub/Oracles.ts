/**
 * The attestation oracles that are asked for signatures (ORACLE-2). Their answers are untrusted: bounded, decoded, and
 * not used before they are compared with what this service expects (`collectSignatures`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DepositClaim } from "../../src/domain/evidence/judges/JudgeDeposits.ts"
import type { RefusalReason } from "../../src/domain/evidence/judges/Refusal.ts"
import type { PeerExecution } from "../../src/domain/quorum/ExecutionSignature.ts"
import type { FillClaim, RefundClaim } from "../../src/domain/hub/SettlementMessage.ts"

/** What an oracle is asked to attest. */
export type Claim = DepositClaim | FillClaim | RefundClaim

/** The result of asking one oracle. */
export type OracleAnswer =
  /** A shadow's signatures are not relied on. */
  | { readonly _tag: "Attested"; readonly execution: PeerExecution; readonly isShadow: boolean }
  /** It does not attest the claim. `reason` is undefined when it gave none that is known here. */
  | { readonly _tag: "Refused"; readonly reason: RefusalReason | undefined }
  /** `unauthorized`: it does not know our key. `unavailable`: it reports that it cannot answer now. */
  | { readonly _tag: "Failed"; readonly why: "unreachable" | "unavailable" | "unauthorized" | "garbage" }

/** One of the oracles that ORACLE_URL names. */
export interface Oracle {
  /** Its host, for logs and metrics. Not a secret. */
  readonly name: string
  /** Has no deadline: the caller sets one, and interrupting cancels the request. */
  readonly ask: (claim: Claim) => Effect.Effect<OracleAnswer>
}

/** The oracles that are asked to attest. An answer counts only after it was compared with what is expected. */
export class Oracles extends Context.Service<Oracles, {
  readonly all: ReadonlyArray<Oracle>
}>()("causeway/ports/Oracles") {}
