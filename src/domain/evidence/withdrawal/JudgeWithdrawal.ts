/**
 * How it stands with a withdrawal, and what an oracle signs then (EXEC-8, ORACLE-6).
 *
 * The message says the status. Only for a request that the withdrawal agrees with and that the
 * allocator issued is there an execution: a burn when executed, the money back to its owner when
 * expired, never both.
 */
import * as Result from "effect/Result"
import type { CurrencyAddress } from "../../chain/Address.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { TransactionId } from "../../chain/TransactionId.ts"
import { type Action, encodeAction } from "../../hub/Action.ts"
import type { Execution } from "../../hub/Execution.ts"
import { executedWithdrawalKey, expiredWithdrawalKey } from "../../hub/IdempotencyKey.ts"
import { type WithdrawalMessage, withdrawalMessageId, type WithdrawalStatus } from "../../hub/Message.ts"
import { invalidWithdrawal } from "../../hub/withdrawal/InvalidWithdrawal.ts"
import type { ReadWithdrawal } from "../../hub/withdrawal/WithdrawalRules.ts"
import { configuredChain, type JudgeContext, type JudgedChain } from "../judges/JudgeContext.ts"
import { type Refusal, refuse, refusing } from "../judges/Refusal.ts"
import { claimedId } from "../judges/StandingTransaction.ts"
import type { WithdrawalEvidence } from "./WithdrawalEvidence.ts"
import {
  agreesWith,
  type HubSide,
  hubSideOf,
  type IssuingHub,
  issuingHubs,
  type WithdrawalRequest
} from "./WithdrawalRequest.ts"
import { statusOf } from "./WithdrawalStatus.ts"

/** What is claimed: an encoded withdrawal, and how it stands. */
export interface WithdrawalClaim {
  readonly chainId: ChainSlug
  readonly withdrawal: Hex
  /** Verified when given; it never enters the key. */
  readonly transactionId?: string | undefined
  readonly withdrawalAddressRequest?: WithdrawalRequest | undefined
}

/** What the configuration says of the chain and the hubs. */
export interface WithdrawalTerms {
  /** Whose allocators issue withdrawals. */
  readonly hubs: ReadonlyArray<IssuingHub>
  readonly expiryMarginSeconds: number
  /**
   * Wei decimals of the withdrawn currency, on exchange A, which writes amounts as decimals; undefined for one that is
   * not configured.
   */
  readonly decimals: (currency: CurrencyAddress) => number | undefined
}

/** What a claim may do on the hub, once the chain has shown how its withdrawal stands. */
interface Issued {
  readonly side: HubSide
  readonly amount: bigint
  /** Those whose allocator issued exactly this withdrawal: nothing is signed for another. */
  readonly hubs: ReadonlyArray<IssuingHub>
}

/** A claim whose every word is right, before anything is read for it. */
export interface ClaimedWithdrawal {
  readonly chain: JudgedChain
  readonly withdrawal: ReadWithdrawal
  /** The bytes of the withdrawal, in their one encoding. */
  readonly encoded: Hex
  readonly id: Hex32
  /** Canonical; undefined when none was claimed. */
  readonly transactionId: TransactionId | undefined
  /** Undefined without a request, or without its issuance: then there is no execution. */
  readonly issued: Issued | undefined
}

/** What became of a withdrawal, with its message and execution. */
export interface JudgedWithdrawal {
  readonly message: WithdrawalMessage
  /** Signed by EIP-191 over its raw bytes. */
  readonly messageId: Hex32
  readonly execution: Execution | undefined
  /** The hubs that the execution is for; none without one. */
  readonly hubs: ReadonlyArray<IssuingHub>
}

const read = (chain: JudgedChain, encoded: Hex): Result.Result<ReadWithdrawal, Refusal> =>
  Result.gen(function*() {
    const { name, withdrawals } = chain.family
    const withdrawal = yield* Result.mapError(
      withdrawals?.read(encoded) ?? invalidWithdrawal(name, "this version knows no withdrawals of the family"),
      refusing("invalid-withdrawal")
    )
    return withdrawal.isOf(chain.depository)
      ? withdrawal
      : yield* refuse("invalid-withdrawal", "from a vault that is not the depository's")
  })

/**
 * The money that a request moves; undefined when nobody issued the withdrawal. Refuses a request that it does not pay.
 */
const issuedFor = (
  context: JudgeContext,
  { chain, id, withdrawal }: Pick<ClaimedWithdrawal, "chain" | "id" | "withdrawal">,
  request: WithdrawalRequest,
  terms: WithdrawalTerms
): Result.Result<Issued | undefined, Refusal> =>
  Result.gen(function*() {
    const payout = yield* Result.mapError(
      withdrawal.payout({ network: chain.network, depository: chain.depository, decimals: terms.decimals }),
      refusing("invalid-withdrawal")
    )
    const side = yield* hubSideOf(context, chain, request)
    yield* agreesWith(chain, payout, request, side)
    if (request.issuance === undefined) return undefined
    return { side, amount: payout.amount, hubs: yield* issuingHubs(context, terms.hubs, side, id, request.issuance) }
  })

/**
 * Everything that can be refused without looking at a chain: bytes, request, issuance.
 *
 * SECURITY: comes before any endpoint or peer is asked, so that a forged claim costs nobody but its maker.
 */
export const claimWithdrawal = (
  context: JudgeContext,
  claim: WithdrawalClaim,
  terms: WithdrawalTerms
): Result.Result<ClaimedWithdrawal, Refusal> =>
  Result.gen(function*() {
    const chain = yield* configuredChain(context, claim.chainId)
    const withdrawal = yield* read(chain, claim.withdrawal)
    const { id } = withdrawal
    const transactionId = claim.transactionId === undefined ? undefined : yield* claimedId(chain, claim.transactionId)
    const request = claim.withdrawalAddressRequest
    const issued = request === undefined
      ? undefined
      : yield* issuedFor(context, { chain, id, withdrawal }, request, terms)
    return { chain, withdrawal, encoded: claim.withdrawal, id, transactionId, issued }
  })

const executionOf = (
  status: WithdrawalStatus,
  id: Hex32,
  { amount, side }: Issued
): Result.Result<Execution | undefined, Refusal> => {
  if (status === 0) return Result.succeed(undefined)
  const { ownerAlias, tokenId, withdrawalAddress } = side
  const action: Action = status === 1
    ? { _tag: "Burn", from: withdrawalAddress, tokenId, amount }
    : { _tag: "Transfer", from: withdrawalAddress, to: ownerAlias, tokenId, amount }
  const idempotencyKey = status === 1 ? executedWithdrawalKey(id) : expiredWithdrawalKey(id)
  return Result.map(Result.mapError(encodeAction(action), refusing("malformed")), (encoded) => ({
    idempotencyKey,
    actions: [encoded]
  }))
}

const isExecutedBy = (transactionId: TransactionId, state: WithdrawalEvidence["state"]): boolean =>
  state._tag === "Executed" && state.transactionIds.includes(transactionId)

/** Refuses evidence of another withdrawal, and a transaction that did not execute this one. */
export const concludeWithdrawal = (
  claimed: ClaimedWithdrawal,
  marginSeconds: number,
  evidence: WithdrawalEvidence
): Result.Result<JudgedWithdrawal, Refusal> =>
  Result.gen(function*() {
    const { chain, encoded, id, issued, transactionId, withdrawal } = claimed
    if (evidence.chain !== chain.slug) return yield* refuse("wrong-chain", evidence.chain)
    if (evidence.withdrawalId !== id || evidence.withdrawal !== encoded) return yield* refuse("wrong-withdrawal", id)
    if (transactionId !== undefined && !isExecutedBy(transactionId, evidence.state)) {
      return yield* refuse("wrong-transaction", transactionId)
    }
    const status = statusOf(withdrawal.expiration, evidence.state, marginSeconds)
    const message: WithdrawalMessage = { withdrawal: encoded, withdrawalId: id, depository: chain.depository, status }
    const messageId = yield* Result.mapError(withdrawalMessageId(chain, message), refusing("malformed"))
    const execution = issued === undefined ? undefined : yield* executionOf(status, id, issued)
    return { message, messageId, execution, hubs: execution === undefined ? [] : issued?.hubs ?? [] }
  })

/** `claimWithdrawal`, then `concludeWithdrawal`: the whole judgement of evidence that is at hand. */
export const judgeWithdrawal = (
  context: JudgeContext,
  claim: WithdrawalClaim,
  terms: WithdrawalTerms,
  evidence: WithdrawalEvidence
): Result.Result<JudgedWithdrawal, Refusal> =>
  Result.flatMap(
    claimWithdrawal(context, claim, terms),
    (claimed) => concludeWithdrawal(claimed, terms.expiryMarginSeconds, evidence)
  )
