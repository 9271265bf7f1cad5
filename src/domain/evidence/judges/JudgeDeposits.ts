/**
 * The deposits of one transaction, as an oracle attests them (EXEC-9, ORACLE-5): one message each, and an execution
 * that mints the deposited amounts.
 *
 * Only what the chain's own depository received counts. A transaction without deposits is not an error: it gives no
 * messages and no execution.
 */
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import { type Hex, type Hex32, isZero32 } from "../../encoding/Hex.ts"
import type { FamilyName } from "../../chain/VmFamily.ts"
import { type Action, encodeAction } from "../../hub/Action.ts"
import { alias } from "../../hub/Alias.ts"
import type { Execution } from "../../hub/Execution.ts"
import { hubTokenId } from "../../hub/HubTokenId.ts"
import { depositsKey } from "../../hub/IdempotencyKey.ts"
import { type DepositMessage, depositMessageId } from "../../hub/Message.ts"
import { orderAddress } from "../../hub/OrderAddress.ts"
import { onchainId } from "../../hub/ProtocolId.ts"
import { configuredChain, type JudgeContext, type JudgedChain } from "./JudgeContext.ts"
import { type Refusal, refuse, refusing } from "./Refusal.ts"
import { standingTransaction } from "./StandingTransaction.ts"
import type { DepositEvidence, Observation, TransactionEvidence } from "../TransactionEvidence.ts"

/** The claim that a transaction of a chain made deposits. */
export interface DepositClaim {
  readonly chainId: ChainSlug
  /** In any accepted spelling. */
  readonly transactionId: string
}

/** Where the minted token comes from. The host adds the hub's oracle. */
export interface DepositMetadata {
  readonly hubTokenId: bigint
  readonly origin: { readonly address: CurrencyAddress; readonly chainId: ChainSlug; readonly family: FamilyName }
}

/** One deposit in the evidence, with its message. */
export interface JudgedDeposit {
  readonly message: DepositMessage
  /** Signed by the oracle by EIP-191. */
  readonly messageId: Hex32
  /** The block's time in seconds. It is part of the order's account on the hub. */
  readonly timestamp: number
  readonly metadata: DepositMetadata
}

/** The deposits of one transaction and the execution that mints them. */
export interface JudgedDeposits {
  readonly deposits: ReadonlyArray<JudgedDeposit>
  /** Undefined when there are no deposits. */
  readonly execution: Execution | undefined
}

/** The deposits that the chain's own depository received, in order. */
export const depositsInto = (
  chain: JudgedChain,
  evidence: TransactionEvidence
): Result.Result<ReadonlyArray<DepositEvidence>, Refusal> => {
  const deposits = evidence.deposits.filter((deposit) => deposit.depository === chain.depository)
  // Two deposits at one index would share an id, and one would be credited as the other.
  return new Set(deposits.map((deposit) => deposit.index)).size === deposits.length
    ? Result.succeed(deposits)
    : refuse("malformed", "two deposits in one place")
}

/** The credited account on the hub: the order's, or the depositor's own when the deposit names no order. */
const creditedAccount = (
  chain: JudgedChain,
  deposit: DepositEvidence,
  time: number
): Result.Result<Address, Refusal> =>
  Result.mapError(
    isZero32(deposit.depositId)
      ? alias(chain, deposit.depositor)
      : orderAddress(chain, deposit.depositor, BigInt(time), deposit.depositId),
    refusing("malformed")
  )

interface JudgedAction {
  readonly judged: JudgedDeposit
  readonly action: Hex
}

const malformed = refusing("malformed")

/** Without a generator, as the next one: an oracle runs both for each attestation. */
const judgeOne = (
  chain: JudgedChain,
  evidence: TransactionEvidence,
  deposit: DepositEvidence
): Result.Result<JudgedAction, Refusal> => {
  const { amount, currency, depositId, depositor, depository } = deposit
  const { block: { time }, transactionId } = evidence
  const message: DepositMessage = {
    transactionId,
    onchainId: onchainId(chain.slug, transactionId, deposit.index),
    depository,
    depositId,
    depositor,
    currency,
    amount
  }
  const messageId = depositMessageId(chain, message)
  if (Result.isFailure(messageId)) return Result.fail(malformed(messageId.failure))
  const token = hubTokenId(chain, currency)
  if (Result.isFailure(token)) return Result.fail(malformed(token.failure))
  const to = creditedAccount(chain, deposit, time)
  if (Result.isFailure(to)) return Result.fail(to.failure)
  const tokenId = token.success
  const mint: Action = { _tag: "Mint", to: to.success, tokenId, amount }
  const action = encodeAction(mint)
  if (Result.isFailure(action)) return Result.fail(malformed(action.failure))
  const origin = { address: currency, chainId: chain.slug, family: chain.family.name }
  return Result.succeed({
    judged: { message, messageId: messageId.success, timestamp: time, metadata: { hubTokenId: tokenId, origin } },
    action: action.success
  })
}

/** Refuses anything but a final, successful transaction of the chain. */
export const judgeDeposits = (
  context: JudgeContext,
  claim: DepositClaim,
  observations: ReadonlyArray<Observation>
): Result.Result<JudgedDeposits, Refusal> => {
  const chain = configuredChain(context, claim.chainId)
  if (Result.isFailure(chain)) return Result.fail(chain.failure)
  const standing = standingTransaction(observations, chain.success, claim.transactionId)
  if (Result.isFailure(standing)) return Result.fail(standing.failure)
  const evidence = standing.success
  const found = depositsInto(chain.success, evidence)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const deposits: Array<JudgedDeposit> = []
  const actions: Array<Hex> = []
  for (const deposit of found.success) {
    const one = judgeOne(chain.success, evidence, deposit)
    if (Result.isFailure(one)) return Result.fail(one.failure)
    deposits.push(one.success.judged)
    actions.push(one.success.action)
  }
  return Result.succeed({
    deposits,
    execution: actions.length === 0
      ? undefined
      : { idempotencyKey: depositsKey(chain.success.slug, evidence.transactionId), actions }
  })
}
