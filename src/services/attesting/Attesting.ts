/**
 * What an oracle attests (ORACLE-2). Evidence is read under the quorum, each transaction once and independent chains
 * concurrently. The core judges the claim against it, and a claim that holds is signed. Nothing is stored.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import { AttestationSigner } from "../../../ports/signing/AttestationSigner.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { findChainBySlug } from "../../domain/chain/Chain.ts"
import type { ChainSlug } from "../../domain/chain/ChainId.ts"
import type { Hex, Hex32 } from "../../domain/encoding/Hex.ts"
import { personalDigest } from "../../domain/encoding/Signature.ts"
import type { Hints } from "../../domain/families/Hints.ts"
import type { ClaimedTransaction } from "../../domain/evidence/ClaimedTransactions.ts"
import { judgeDeposits } from "../../domain/evidence/judges/JudgeDeposits.ts"
import type { DepositClaim, JudgedDeposit } from "../../domain/evidence/judges/JudgeDeposits.ts"
import { configuredChain } from "../../domain/evidence/judges/JudgeContext.ts"
import type { JudgeContext } from "../../domain/evidence/judges/JudgeContext.ts"
import { judgeClaim } from "../../domain/evidence/judges/JudgeClaim.ts"
import type { JudgedClaim } from "../../domain/evidence/judges/JudgeClaim.ts"
import { judgeClaimedFill } from "../../domain/evidence/judges/JudgeFill.ts"
import type { JudgedSettlement } from "../../domain/evidence/judges/JudgeFill.ts"
import { judgeClaimedRefund } from "../../domain/evidence/judges/JudgeRefund.ts"
import type { Refusal } from "../../domain/evidence/judges/Refusal.ts"
import { claimedId } from "../../domain/evidence/judges/StandingTransaction.ts"
import type { Observation } from "../../domain/evidence/TransactionEvidence.ts"
import type { FillClaim, RefundClaim } from "../../domain/hub/SettlementMessage.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { askPeers } from "./AskedPeers.ts"
import type { AttestFailure } from "./AttestFailure.ts"
import { requireComparedChain } from "./RequireComparedChain.ts"
import { makeHeldEvidence } from "./HeldEvidence.ts"
import type { Keep } from "./HeldEvidence.ts"
import { makeJudgeContext } from "./JudgingContext.ts"
import { refuseUnobserved } from "./RefuseUnobserved.ts"
import { makeSignExecution } from "./SignExecution.ts"
import type { SignedExecution } from "./SignedExecution.ts"

export type { AttestFailure }

/** A judged deposit with the signature of its message (EXEC-1). */
export interface AttestedDeposit extends JudgedDeposit {
  /** EIP-191 over the message's id. */
  readonly signature: Hex
}

/** All deposits of a transaction, and the one execution that mints them (EXEC-9). */
export interface AttestedDeposits {
  /** Empty for a transaction without a deposit, which is not an error. */
  readonly deposits: ReadonlyArray<AttestedDeposit>
  /** Undefined without a deposit. */
  readonly execution: SignedExecution | undefined
}

/** A judged fill or refund, signed. */
export interface AttestedSettlement extends Omit<JudgedSettlement, "execution"> {
  /** EIP-191 over the message's id. */
  readonly signature: Hex
  readonly execution: SignedExecution
}

/**
 * Concurrent signatures for the deposits of one transaction. A signer may be a remote service, which answers in its own
 * time and limits concurrent calls.
 */
const SIGNED_AT_ONCE = 8

/** Concurrent reads for one claim on one chain: a claim may name thousands of transactions. */
const READ_AT_ONCE = 32

/** Without a further fiber for a single item, which is the usual case. */
const atOnce = (items: number, most: number) => ({ concurrency: Math.max(1, Math.min(items, most)) })

export class Attesting extends Context.Service<Attesting, {
  readonly deposits: (claim: DepositClaim) => Effect.Effect<AttestedDeposits, AttestFailure>
  readonly fill: (claim: FillClaim) => Effect.Effect<AttestedSettlement, AttestFailure>
  readonly refund: (claim: RefundClaim) => Effect.Effect<AttestedSettlement, AttestFailure>
}>()("causeway/services/attesting/Attesting") {}

export const layer = Layer.effect(
  Attesting,
  Effect.gen(function*() {
    const { all } = yield* Chains
    const observer = yield* ChainObserver
    const checked = yield* CheckedConfiguration
    const signer = yield* AttestationSigner
    const signExecution = yield* makeSignExecution
    const context = yield* makeJudgeContext

    const evidence = makeHeldEvidence()

    const readOn = (
      slug: ChainSlug,
      ids: ReadonlyArray<ClaimedTransaction>,
      hints: Hints | undefined,
      keep: Keep
    ) => {
      const chain = findChainBySlug(all, slug)
      if (chain === undefined) return Effect.succeed([])
      const read = ({ transactionId }: ClaimedTransaction) =>
        Effect.flatMap(observer.observe(chain, [transactionId], hints), (found) => keep(chain.slug, found))
      return Effect.andThen(requireComparedChain(checked, chain), () => {
        const [only, ...others] = ids
        return only === undefined || others.length > 0
          ? Effect.map(Effect.forEach(ids, read, { concurrency: READ_AT_ONCE }), (found) => found.flat())
          : read(only)
      })
    }

    /**
     * What the transactions of a claim show, each read once, all chains concurrently. Peers are asked meanwhile. The
     * evidence is held until it is judged, and no longer.
     */
    const judged = <A>(
      claimed: ReadonlyArray<ClaimedTransaction>,
      hints: Hints | undefined,
      judge: (seen: ReadonlyArray<Observation>) => Result.Result<A, Refusal>
    ) =>
      evidence.hold((keep) => {
        const byChain = [...Map.groupBy(claimed, ({ chain }) => chain)]
        const read = ([slug, ids]: readonly [ChainSlug, ReadonlyArray<ClaimedTransaction>]) =>
          readOn(slug, ids, hints, keep)
        const [only, ...others] = byChain
        const seen = only === undefined || others.length > 0
          ? Effect.map(Effect.forEach(byChain, read, { concurrency: "unbounded" }), (found) => found.flat())
          : read(only)
        return Effect.andThen(askPeers, Effect.flatMap(seen, (found) => Effect.fromResult(judge(found))))
      })

    const signMessage = (id: Hex32) => signer.signDigest(personalDigest(id))

    const deposits = Effect.fnUntraced(
      function*(claim: DepositClaim): Effect.fn.Return<AttestedDeposits, AttestFailure> {
        const chain = yield* Effect.fromResult(configuredChain(context, claim.chainId))
        const transactionId = yield* Effect.fromResult(claimedId(chain, claim.transactionId))
        const found = yield* judged(
          [{ chain: chain.slug, transactionId }],
          undefined,
          (seen) => judgeDeposits(context, claim, seen)
        )
        const messages = yield* Effect.forEach(
          found.deposits,
          (deposit) => Effect.map(signMessage(deposit.messageId), (signature) => ({ ...deposit, signature })),
          atOnce(found.deposits.length, SIGNED_AT_ONCE)
        )
        return {
          deposits: messages,
          execution: found.execution === undefined ? undefined : yield* signExecution(found.execution)
        }
      }
    )

    const settlement = <Claim extends FillClaim | RefundClaim>(
      judge: (
        context: JudgeContext,
        claim: Claim,
        judged: JudgedClaim,
        seen: ReadonlyArray<Observation>
      ) => ReturnType<typeof judgeClaimedFill>
    ) =>
      Effect.fnUntraced(function*(claim: Claim): Effect.fn.Return<AttestedSettlement, AttestFailure> {
        // A claim that cannot hold is refused before any chain is read or any peer asked.
        const claimed = yield* Effect.fromResult(judgeClaim(context, claim))
        const found = yield* judged(claimed.transactions, claim.hints, (seen) => judge(context, claim, claimed, seen))
        return {
          ...found,
          signature: yield* signMessage(found.messageId),
          execution: yield* signExecution(found.execution)
        }
      })

    const [fill, refund] = [settlement<FillClaim>(judgeClaimedFill), settlement<RefundClaim>(judgeClaimedRefund)]
    return Attesting.of({
      deposits: (claim) => refuseUnobserved(deposits(claim)),
      fill: (claim) => refuseUnobserved(fill(claim)),
      refund: (claim) => refuseUnobserved(refund(claim))
    })
  })
)
