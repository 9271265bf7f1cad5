/**
 * The start of a withdrawal on the hub (ORACLE-9, ORACLE-10): its owner signed it and can pay for it, or the
 * withdrawal's account holds the required balance.
 *
 * Balances come from the hub under its own quorum. The owner of an initiation is an EVM account: only these can sign
 * one.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import { encodeAction } from "../../hub/Action.ts"
import type { Execution } from "../../hub/Execution.ts"
import { initiationKey } from "../../hub/IdempotencyKey.ts"
import { balanceProof, initiationHash } from "../../hub/withdrawal/WithdrawalInitiation.ts"
import { configuredChain, type JudgeContext } from "../judges/JudgeContext.ts"
import { type Refusal, refuse, refusing } from "../judges/Refusal.ts"
import { type HubSide, hubSideOf } from "./WithdrawalRequest.ts"

/** Texts keep the spelling of the request, because the owner signs exactly these. */
export interface InitiationClaim {
  readonly settlementChainId: string
  /** A decimal in smallest units. */
  readonly expectedAmount: string
  readonly chainId: ChainSlug
  readonly currency: string
  readonly withdrawer: string
  readonly withdrawerChainId: ChainSlug
  readonly recipient: string
  /** 0x and 64 lower-case hex digits. */
  readonly withdrawalNonce: Hex32
}

/** The balance of one token in one account of the hub. */
export interface HubBalance {
  readonly account: Address
  readonly tokenId: bigint
  readonly balance: bigint
}

/** The judged initiation of a withdrawal, with its execution. */
export interface JudgedInitiation {
  readonly withdrawalAddress: Address
  readonly execution: Execution
}

const amountOf = (text: string): Result.Result<bigint, Refusal> => {
  if (!/^(?:0|[1-9][0-9]{0,77})$/.test(text)) return refuse("malformed", "expectedAmount")
  const amount = BigInt(text)
  return amount > 0n ? Result.succeed(amount) : refuse("zero-amount")
}

/** A valid, signed claim: what it would move, and the account whose balance must cover it. */
export interface ClaimedInitiation {
  readonly side: HubSide
  /** Smallest units, more than zero. */
  readonly amount: bigint
}

const claimedInitiation = (context: JudgeContext, claim: InitiationClaim): Result.Result<ClaimedInitiation, Refusal> =>
  Result.gen(function*() {
    const amount = yield* amountOf(claim.expectedAmount)
    const chain = yield* configuredChain(context, claim.chainId)
    return { amount, side: yield* hubSideOf(context, chain, claim) }
  })

/** All checks that need no read of the hub: amount, accounts, the owner's signature. */
export const claimInitiation = (
  context: JudgeContext,
  claim: InitiationClaim,
  signature: Hex
): Result.Result<ClaimedInitiation, Refusal> =>
  Result.gen(function*() {
    const home = yield* configuredChain(context, claim.withdrawerChainId)
    if (!home.family.ownsOnHub) return yield* refuse("malformed", "the withdrawer is no EVM account")
    const claimed = yield* claimedInitiation(context, claim)
    const hash = initiationHash({
      settlementChainId: claim.settlementChainId,
      chainId: claim.chainId,
      currency: claim.currency,
      amount: claim.expectedAmount,
      ownerChainId: claim.withdrawerChainId,
      owner: claim.withdrawer,
      recipient: claim.recipient,
      nonce: claim.withdrawalNonce
    })
    return context.isSignedBy(hash, signature, claim.withdrawer) ? claimed : yield* refuse("wrong-signature")
  })

/** The same for the claim that a withdrawal was initiated. It needs no signature. */
export const claimInitiated = claimedInitiation

const covers = (held: HubBalance, account: Address, tokenId: bigint, amount: bigint): Result.Result<void, Refusal> => {
  if (held.account !== account || held.tokenId !== tokenId) return refuse("unread", "balance")
  return held.balance >= amount ? Result.succeed(undefined) : refuse("insufficient-balance")
}

/** `held`: the balance of the owner's alias. */
export const concludeInitiation = (
  claim: InitiationClaim,
  { amount, side }: ClaimedInitiation,
  held: HubBalance
): Result.Result<JudgedInitiation, Refusal> =>
  Result.gen(function*() {
    const { ownerAlias, tokenId, withdrawalAddress } = side
    yield* covers(held, ownerAlias, tokenId, amount)
    const action = yield* Result.mapError(
      encodeAction({ _tag: "Transfer", from: ownerAlias, to: withdrawalAddress, tokenId, amount }),
      refusing("malformed")
    )
    const idempotencyKey = initiationKey(claim.settlementChainId, tokenId, withdrawalAddress)
    return { withdrawalAddress, execution: { idempotencyKey, actions: [action] } }
  })

/** Runs `claimInitiation`, then `concludeInitiation`. */
export const judgeInitiation = (
  context: JudgeContext,
  claim: InitiationClaim,
  signature: Hex,
  held: HubBalance
): Result.Result<JudgedInitiation, Refusal> =>
  Result.flatMap(claimInitiation(context, claim, signature), (claimed) => concludeInitiation(claim, claimed, held))

/** The judged initiation of a withdrawal that the hub already shows. */
export interface JudgedInitiated {
  readonly withdrawalAddress: Address
  /** packed(address, uint256 balance, bytes32 nonce). */
  readonly proofOfWithdrawalAddressBalance: Hex
}

/** `held`: the balance of the withdrawal's account. */
export const concludeInitiated = (
  claim: InitiationClaim,
  { amount, side: { tokenId, withdrawalAddress } }: ClaimedInitiation,
  held: HubBalance
): Result.Result<JudgedInitiated, Refusal> =>
  Result.gen(function*() {
    yield* covers(held, withdrawalAddress, tokenId, amount)
    const proof = yield* Result.mapError(
      balanceProof(withdrawalAddress, held.balance, claim.withdrawalNonce),
      refusing("malformed")
    )
    return { withdrawalAddress, proofOfWithdrawalAddressBalance: proof }
  })

/** Runs `claimInitiated`, then `concludeInitiated`. */
export const judgeInitiated = (
  context: JudgeContext,
  claim: InitiationClaim,
  held: HubBalance
): Result.Result<JudgedInitiated, Refusal> =>
  Result.flatMap(claimInitiated(context, claim), (claimed) => concludeInitiated(claim, claimed, held))
