/**
 * What nodes mean by refusing a transaction, in the words of their clients (EVM-11): Geth's, which Reth and Bor have too,
 * and Nethermind since July 2026; those of earlier Nethermind, in one word; Erigon's; Besu's. Pure, total.
 *
 * A refusal in unknown words says nothing: nobody knows that a higher fee would help, and the payment rests. So a client
 * whose words are missing here holds up every later payment of the account while the fee is too low.
 */
import { ExecutionRevertedError, InsufficientFundsError, RpcRequestError } from "viem"
import type { BaseError } from "viem"
import type { Broadcast, PaymentRefused } from "../../../ports/chain/Treasury.ts"

/** The node already has the transaction, or it is mined: nothing is left to do. */
const alreadyThere =
  /already ?known|nonce too low|old ?nonce|already imported|already in mempool|known transaction|existing tx with same hash/i

/** Too low for the node, or to replace its pending transaction with the same nonce. */
const outbid = /underpriced|replacement ?not ?allowed|could not replace existing tx/i

/** Below the base fee or the node's own minimum, or lower than all that a full pool holds. */
const tooLow = /fee ?too ?low|fee cap too low|less than block base fee|gas price below|tip too low|pool is full/i

const unfunded = /insufficient ?funds|insufficient balance|upfront cost exceeds/i

/**
 * Nodes keep one transaction for an account that has signed an authorization, and check some authorizations before they
 * accept any.
 */
const unauthorized = /authorit(?:y|ies) .*reserved|authori[sz]ation|transaction type not supported/i

/** Undefined when it says nothing about the payment. */
export const meaningOf = (
  refusal: string,
  { carriesAuthorizations }: { readonly carriesAuthorizations: boolean }
): Broadcast | undefined => {
  if (alreadyThere.test(refusal)) return "accepted"
  if (carriesAuthorizations && unauthorized.test(refusal)) return "unauthorized"
  if (outbid.test(refusal) || tooLow.test(refusal)) return "underpriced"
  return unfunded.test(refusal) ? "unfunded" : undefined
}

/** The nonce is used, or another transaction with it pays more. */
export const isNonceTaken = (refusal: string): boolean => alreadyThere.test(refusal) || outbid.test(refusal)

/** Nethermind's words for a trial that does not end well. Viem knows those of Geth. */
const endedBadly = /^gas estimation failed due to out of gas|^vm execution error/i

/** Why a trial of a payment failed. Undefined when the chain itself did not refuse it: then the endpoint is at fault. */
export const trialRefusal = (error: BaseError): PaymentRefused["reason"] | undefined => {
  if (error.walk((cause) => cause instanceof InsufficientFundsError) !== null) return "insufficient-funds"
  const reverts = error.walk((cause) =>
    cause instanceof ExecutionRevertedError || (cause instanceof RpcRequestError && endedBadly.test(cause.details))
  )
  return reverts === null ? undefined : "reverts"
}
