/**
 * How it stands with a withdrawal, and what an oracle signs then (spec/4 §3, §4.2).
 *
 * The message says the status. Only for a request that the withdrawal agrees with and that the
 * allocator issued is there an execution: a burn when executed, the money back to its owner when
 * expired, never both.
 */
import * as Result from "effect/Result"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { Hex, Hex32 } from "../chain/Hex.ts"
import { parseTransactionId } from "../chain/TransactionId.ts"
import { type Action, encodeAction } from "../settlement/Action.ts"
import type { Execution } from "../settlement/Execution.ts"
import { executedWithdrawalKey, expiredWithdrawalKey } from "../settlement/IdempotencyKey.ts"
import { type WithdrawalMessage, withdrawalMessageId, type WithdrawalStatus } from "../settlement/Message.ts"
import { decodeWithdrawal, payoutOf, type Withdrawal, withdrawalId } from "../settlement/Withdrawal.ts"
import { configuredChain, type JudgeContext, type JudgedChain } from "./JudgeContext.ts"
import { type Refusal, refuse, refusing } from "./Refusal.ts"
import type { WithdrawalEvidence } from "./WithdrawalEvidence.ts"
import { agreesWith, type HubSide, hubSideOf, isIssued, type IssuingHub, type WithdrawalRequest } from "./WithdrawalRequest.ts"
import { statusOf } from "./WithdrawalStatus.ts"

/** What is claimed: an encoded withdrawal, and how it stands. */
export interface WithdrawalClaim {
  readonly chainId: ChainSlug
  readonly withdrawal: Hex
  /** Verified when given; it never enters the key. */
  readonly transactionId?: string | undefined
  readonly withdrawalAddressRequest?: WithdrawalRequest | undefined
}

/** What the configuration says of the chain and the hub. */
export interface WithdrawalTerms {
  readonly hub: IssuingHub
  readonly expiryMarginSeconds: number
  /** Wei decimals of the withdrawn token, on exchange A, which writes amounts as decimals. */
  readonly decimals: number
}

/** What became of a withdrawal, with its message and execution. */
export interface JudgedWithdrawal {
  readonly message: WithdrawalMessage
  /** Signed by EIP-191 over its raw bytes. */
  readonly messageId: Hex32
  readonly execution: Execution | undefined
}

/** The bytes of a claim, decoded, with their id: what a service looks for on the chain. */
export const claimedWithdrawal = (
  chain: JudgedChain,
  encoded: Hex
): Result.Result<{ readonly withdrawal: Withdrawal; readonly id: Hex32 }, Refusal> =>
  Result.mapError(
    Result.flatMap(decodeWithdrawal(chain.family, encoded), (withdrawal) =>
      Result.map(withdrawalId(withdrawal), (id) => ({ withdrawal, id }))),
    refusing("invalid-withdrawal")
  )

const executedBy = (chain: JudgedChain, text: string, state: WithdrawalEvidence["state"]): Result.Result<void, Refusal> =>
  Result.flatMap(Result.mapError(parseTransactionId(chain.family, text), refusing("malformed")), (id) =>
    state._tag === "Executed" && state.transactionIds.includes(id) ? Result.succeed(undefined) : refuse("wrong-transaction", id))

const executionOf = (
  status: WithdrawalStatus,
  id: Hex32,
  side: HubSide,
  amount: bigint
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

/** Refuses evidence of another withdrawal, and a request that this one does not pay. */
export const judgeWithdrawal = (
  context: JudgeContext,
  claim: WithdrawalClaim,
  terms: WithdrawalTerms,
  evidence: WithdrawalEvidence
): Result.Result<JudgedWithdrawal, Refusal> =>
  Result.gen(function*() {
    const chain = yield* configuredChain(context, claim.chainId)
    const { id, withdrawal } = yield* claimedWithdrawal(chain, claim.withdrawal)
    if (evidence.chain !== chain.slug) return yield* refuse("wrong-chain", evidence.chain)
    if (evidence.withdrawalId !== id || evidence.withdrawal !== claim.withdrawal) return yield* refuse("wrong-withdrawal", id)
    if (claim.transactionId !== undefined) yield* executedBy(chain, claim.transactionId, evidence.state)
    const status = statusOf(withdrawal, evidence.state, terms.expiryMarginSeconds)
    const message: WithdrawalMessage = { withdrawal: claim.withdrawal, withdrawalId: id, depository: chain.depository, status }
    const messageId = yield* Result.mapError(withdrawalMessageId(chain, message), refusing("malformed"))
    const request = claim.withdrawalAddressRequest
    if (request === undefined) return { message, messageId, execution: undefined }
    const payout = yield* Result.mapError(
      payoutOf(withdrawal, { network: chain.network, depository: chain.depository, decimals: terms.decimals }),
      refusing("invalid-withdrawal")
    )
    const side = yield* hubSideOf(context, chain, request)
    yield* agreesWith(chain, payout, request, side)
    if (request.issuance === undefined) return { message, messageId, execution: undefined }
    yield* isIssued(context, terms.hub, side, id, request.issuance)
    return { message, messageId, execution: yield* executionOf(status, id, side, payout.amount) }
  })
