/**
 * What an oracle attests about withdrawals (ORACLE-6, ORACLE-9, ORACLE-10): their initiation on the hub, that it was
 * made, and their status on their chain. Nothing is stored.
 *
 * SECURITY: whatever can be refused without reading a chain is refused before any chain is read. Executions are signed
 * for the hub that the owner or the allocator signed for, and for no other.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { AttestationSigner } from "../../../ports/signing/AttestationSigner.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { HubBalances } from "../../../ports/hub/HubBalances.ts"
import { SettlementHubs } from "../../../ports/hub/SettlementHubs.ts"
import type { SettlementHub } from "../../../ports/hub/SettlementHubs.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { findChainBySlug, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { ChainSlug } from "../../domain/chain/ChainId.ts"
import type { Hex } from "../../domain/encoding/Hex.ts"
import { personalDigest } from "../../domain/encoding/Signature.ts"
import {
  claimInitiated,
  claimInitiation,
  concludeInitiated,
  concludeInitiation
} from "../../domain/evidence/withdrawal/JudgeInitiation.ts"
import type {
  InitiationClaim,
  JudgedInitiated,
  JudgedInitiation
} from "../../domain/evidence/withdrawal/JudgeInitiation.ts"
import { claimWithdrawal, concludeWithdrawal } from "../../domain/evidence/withdrawal/JudgeWithdrawal.ts"
import type {
  ClaimedWithdrawal,
  JudgedWithdrawal,
  WithdrawalClaim,
  WithdrawalTerms
} from "../../domain/evidence/withdrawal/JudgeWithdrawal.ts"
import { refuse } from "../../domain/evidence/judges/Refusal.ts"
import type { Refusal } from "../../domain/evidence/judges/Refusal.ts"
import { standingTransaction } from "../../domain/evidence/judges/StandingTransaction.ts"
import { missesTransaction, provenBy, withTransaction } from "../../domain/evidence/withdrawal/WithdrawalEvidence.ts"
import type { WithdrawalEvidence } from "../../domain/evidence/withdrawal/WithdrawalEvidence.ts"
import type { IssuingHub } from "../../domain/evidence/withdrawal/WithdrawalRequest.ts"
import { EXPIRY_MARGIN_SECONDS } from "../../domain/evidence/withdrawal/WithdrawalStatus.ts"
import type { AttestFailure } from "./AttestFailure.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { askPeers } from "./AskedPeers.ts"
import { requireComparedChain } from "./RequireComparedChain.ts"
import { makeJudgeContext } from "./JudgingContext.ts"
import { refuseUnobserved } from "./RefuseUnobserved.ts"
import { makeSignExecution } from "./SignExecution.ts"
import type { SignedExecution } from "./SignedExecution.ts"

/** A judged withdrawal, signed. */
export interface AttestedWithdrawal extends Omit<JudgedWithdrawal, "execution" | "hubs"> {
  /** EIP-191 over the message's id. */
  readonly signature: Hex
  /** Undefined while the withdrawal is pending, and when there is no issued request. */
  readonly execution: SignedExecution | undefined
}

/** A judged initiation with its signed execution. */
export interface AttestedInitiation extends Omit<JudgedInitiation, "execution"> {
  readonly execution: SignedExecution
}

export class AttestingWithdrawals extends Context.Service<AttestingWithdrawals, {
  readonly withdrawal: (claim: WithdrawalClaim) => Effect.Effect<AttestedWithdrawal, AttestFailure>
  /** `signature`: the owner's, over exactly this claim. */
  readonly initiation: (claim: InitiationClaim, signature: Hex) => Effect.Effect<AttestedInitiation, AttestFailure>
  readonly initiated: (claim: InitiationClaim) => Effect.Effect<JudgedInitiated, AttestFailure>
}>()("causeway/services/attesting/AttestingWithdrawals") {}

const issuingOf = ({ allocator, domain }: SettlementHub): ReadonlyArray<IssuingHub> =>
  allocator === undefined ? [] : [{ chainId: domain.chainId, oracleContract: domain.verifyingContract, allocator }]

const marginOf = ({ expiryMarginSeconds = EXPIRY_MARGIN_SECONDS }: Chain): number => expiryMarginSeconds

export const layer = Layer.effect(
  AttestingWithdrawals,
  Effect.gen(function*() {
    const { all: chains } = yield* Chains
    const { all: hubs } = yield* SettlementHubs
    const observer = yield* ChainObserver
    const withdrawals = yield* WithdrawalObserver
    const balances = yield* HubBalances
    const checked = yield* CheckedConfiguration
    const signer = yield* AttestationSigner
    const signExecution = yield* makeSignExecution
    const context = yield* makeJudgeContext
    const issuing = hubs.flatMap(issuingOf)

    const servedChain = (slug: ChainSlug): Result.Result<Chain, Refusal> => {
      const chain = findChainBySlug(chains, slug)
      return chain === undefined ? refuse("unknown-chain", slug) : Result.succeed(chain)
    }

    const hubNamed = (name: string): Result.Result<SettlementHub, Refusal> => {
      const hub = hubs.find(({ slug }) => slug === name)
      return hub === undefined ? refuse("unknown-chain", name) : Result.succeed(hub)
    }

    const domainsOf = (issuedBy: ReadonlyArray<IssuingHub>) =>
      hubs.flatMap(({ domain }) =>
        issuedBy.some((hub) => hub.chainId === domain.chainId && hub.oracleContract === domain.verifyingContract)
          ? [domain]
          : []
      )

    /** The evidence, read after the transaction that is said to have executed the withdrawal was seen on the chain. */
    const evidenceOf = Effect.fnUntraced(function*(
      chain: Chain,
      { encoded, id, transactionId }: ClaimedWithdrawal
    ): Effect.fn.Return<WithdrawalEvidence, AttestFailure> {
      if (transactionId === undefined) return yield* withdrawals.observe(chain, { encoded, id })
      const seen = yield* observer.observe(chain, [transactionId])
      const standing = yield* Effect.fromResult(standingTransaction(seen, chain, transactionId))
      const read = yield* withdrawals.observe(chain, { encoded, id })
      // Each reading pins its own block. The second reading may be at a block before the transaction, when an endpoint
      // dropped out in between.
      if (missesTransaction(read, standing)) {
        return provenBy(read, standing, chain.family) ??
          (yield* new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind: "behind" }))
      }
      return withTransaction(read, standing)
    })

    const withdrawal = Effect.fn("AttestingWithdrawals.withdrawal")(
      function*(claim: WithdrawalClaim): Effect.fn.Return<AttestedWithdrawal, AttestFailure> {
        const chain = yield* Effect.fromResult(servedChain(claim.chainId))
        const terms: WithdrawalTerms = {
          hubs: issuing,
          expiryMarginSeconds: marginOf(chain),
          decimals: (currency) => findCurrency(chain, currency)?.decimals
        }
        const claimed = yield* Effect.fromResult(claimWithdrawal(context, claim, terms))
        // Without an issued request there is no execution that a peer could sign.
        if (claimed.issued !== undefined) yield* askPeers
        yield* requireComparedChain(checked, chain)
        const evidence = yield* evidenceOf(chain, claimed)
        const { execution, hubs: issuedBy, ...judged } = yield* Effect.fromResult(
          concludeWithdrawal(claimed, terms.expiryMarginSeconds, evidence)
        )
        return {
          ...judged,
          signature: yield* signer.signDigest(personalDigest(judged.messageId)),
          execution: execution === undefined ? undefined : yield* signExecution(execution, domainsOf(issuedBy))
        }
      }
    )

    const initiation = Effect.fn("AttestingWithdrawals.initiation")(function*(
      claim: InitiationClaim,
      signature: Hex
    ): Effect.fn.Return<AttestedInitiation, AttestFailure> {
      const hub = yield* Effect.fromResult(hubNamed(claim.settlementChainId))
      const claimed = yield* Effect.fromResult(claimInitiation(context, claim, signature))
      yield* askPeers
      yield* requireComparedChain(checked, hub)
      const held = yield* balances.read(hub, claimed.side.ownerAlias, claimed.side.tokenId)
      const judged = yield* Effect.fromResult(concludeInitiation(claim, claimed, held))
      return { ...judged, execution: yield* signExecution(judged.execution, [hub.domain]) }
    })

    const initiated = Effect.fn("AttestingWithdrawals.initiated")(
      function*(claim: InitiationClaim): Effect.fn.Return<JudgedInitiated, AttestFailure> {
        const hub = yield* Effect.fromResult(hubNamed(claim.settlementChainId))
        const claimed = yield* Effect.fromResult(claimInitiated(context, claim))
        yield* requireComparedChain(checked, hub)
        const held = yield* balances.read(hub, claimed.side.withdrawalAddress, claimed.side.tokenId)
        return yield* Effect.fromResult(concludeInitiated(claim, claimed, held))
      }
    )

    return AttestingWithdrawals.of({
      withdrawal: (claim) => refuseUnobserved(withdrawal(claim)),
      initiation: (claim, signature) => refuseUnobserved(initiation(claim, signature)),
      initiated: (claim) => refuseUnobserved(initiated(claim))
    })
  })
)
