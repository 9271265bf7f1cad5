/**
 * The status of a withdrawal, and what an oracle then signs (EXEC-8, ORACLE-6).
 *
 * The message contains the status. There is an execution only when the withdrawal matches its request and the allocator
 * issued it: a burn when it was executed, the money back to its owner when it expired, never both.
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

/** The claim: an encoded withdrawal. Its status is judged. */
export interface WithdrawalClaim {
  readonly chainId: ChainSlug
  readonly withdrawal: Hex
  /** Verified when given. Not part of the key. */
  readonly transactionId?: string | undefined
  readonly withdrawalAddressRequest?: WithdrawalRequest | undefined
}

/** The configuration of the chain and the hubs. */
export interface WithdrawalTerms {
  /** The hubs whose allocators issue withdrawals. */
  readonly hubs: ReadonlyArray<IssuingHub>
  readonly expiryMarginSeconds: number
  /**
   * Wei decimals of the withdrawn currency on exchange A, which writes amounts as decimals. Undefined for a currency
   * that is not configured.
   */
  readonly decimals: (currency: CurrencyAddress) => number | undefined
}

/** What a claim may do on the hub, once the withdrawal's status is known. */
interface Issued {
  readonly side: HubSide
  readonly amount: bigint
  /** Hubs whose allocator issued exactly this withdrawal. Nothing is signed for other hubs. */
  readonly hubs: ReadonlyArray<IssuingHub>
}

/** A valid claim, before anything is read for it. */
export interface ClaimedWithdrawal {
  readonly chain: JudgedChain
  readonly withdrawal: ReadWithdrawal
  /** The withdrawal's bytes in their canonical encoding. */
  readonly encoded: Hex
  readonly id: Hex32
  /** Canonical. Undefined when none was claimed. */
  readonly transactionId: TransactionId | undefined
  /** Undefined without a request or without its issuance. Then there is no execution. */
  readonly issued: Issued | undefined
}

/** The status of a withdrawal, with its message and execution. */
export interface JudgedWithdrawal {
  readonly message: WithdrawalMessage
  /** Signed by EIP-191 over its raw bytes. */
  readonly messageId: Hex32
  readonly execution: Execution | undefined
  /** The hubs that the execution is for. Empty when there is no execution. */
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
 * What a request moves on the hub. Undefined when the request has no issuance. Refuses a request that does not match
 * the withdrawal's payout.
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
 * All checks that need no read of a chain: bytes, request, issuance.
 *
 * SECURITY: runs before any endpoint or peer is asked, so a forged claim costs this service and its peers nothing.
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

/** Runs `claimWithdrawal`, then `concludeWithdrawal`, on evidence that was already read. */
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
