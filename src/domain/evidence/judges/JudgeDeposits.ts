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
import { type Hex32, isZero32 } from "../../encoding/Hex.ts"
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

const judgeOne = (chain: JudgedChain, evidence: TransactionEvidence, deposit: DepositEvidence) =>
  Result.gen(function*() {
    const { amount, currency, depositId, depositor, depository } = deposit
    const { transactionId } = evidence
    const message: DepositMessage = {
      transactionId,
      onchainId: onchainId(chain.slug, transactionId, deposit.index),
      depository,
      depositId,
      depositor,
      currency,
      amount
    }
    const messageId = yield* Result.mapError(depositMessageId(chain, message), refusing("malformed"))
    const tokenId = yield* Result.mapError(hubTokenId(chain, currency), refusing("malformed"))
    const to = yield* creditedAccount(chain, deposit, evidence.block.time)
    const mint: Action = { _tag: "Mint", to, tokenId, amount }
    const origin = { address: currency, chainId: chain.slug, family: chain.family.name }
    const judged: JudgedDeposit = {
      message,
      messageId,
      timestamp: evidence.block.time,
      metadata: { hubTokenId: tokenId, origin }
    }
    return { judged, action: yield* Result.mapError(encodeAction(mint), refusing("malformed")) }
  })

/** Refuses anything but a final, successful transaction of the chain. */
export const judgeDeposits = (
  context: JudgeContext,
  claim: DepositClaim,
  observations: ReadonlyArray<Observation>
): Result.Result<JudgedDeposits, Refusal> =>
  Result.gen(function*() {
    const chain = yield* configuredChain(context, claim.chainId)
    const evidence = yield* standingTransaction(observations, chain, claim.transactionId)
    const deposits = yield* depositsInto(chain, evidence)
    const all = yield* Result.all(deposits.map((deposit) => judgeOne(chain, evidence, deposit)))
    const actions = all.map(({ action }) => action)
    return {
      deposits: all.map(({ judged }) => judged),
      execution: actions.length === 0
        ? undefined
        : { idempotencyKey: depositsKey(chain.slug, evidence.transactionId), actions }
    }
  })
