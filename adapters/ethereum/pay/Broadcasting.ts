/** Sends a signed payment to a node, and interprets the node's refusal. */
import type { Effect } from "effect"
import { BaseError } from "viem"
import type { Hex } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Broadcast, SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** The node already has the transaction, or it is mined: nothing is left to do. */
const alreadyThere = /already known|nonce too low|already imported|already in mempool|known transaction/i

/** Underpriced: below the base fee or the node's own minimum, or too low to replace the node's pending transaction. */
const underpriced = /underpriced|fee too low|fee cap too low|less than block base fee|gas price below|tip too low/i

const unfunded = /insufficient funds|insufficient balance/i

/**
 * Nodes keep one transaction for an account that has signed an authorization, and check some authorizations before they
 * accept any.
 */
const unauthorized = /authorit(?:y|ies) .*reserved|authori[sz]ation|transaction type not supported/i

const carriesAuthorizations = (raw: Hex): boolean => raw.startsWith("0x04")

/** The meaning of a node's refusal. Undefined when it says nothing about the payment. */
const meaningOf = (refusal: string, raw: Hex): Broadcast | undefined => {
  if (alreadyThere.test(refusal)) return "accepted"
  if (carriesAuthorizations(raw) && unauthorized.test(refusal)) return "unauthorized"
  if (underpriced.test(refusal)) return "underpriced"
  return unfunded.test(refusal) ? "unfunded" : undefined
}

/** Sending a transaction that the node already has is not an error. */
export const broadcast = (
  rpc: EthereumRpc["Service"],
  chain: Chain,
  signed: SignedPayment
): Effect.Effect<Broadcast, ChainUnavailable> =>
  rpc.call(chain, "broadcast", async (client) => {
    try {
      await client.sendRawTransaction({ serializedTransaction: viemHex(signed.raw) })
      return "accepted"
    } catch (error) {
      const meaning = error instanceof BaseError
        ? meaningOf(`${error.shortMessage} ${error.details}`, viemHex(signed.raw))
        : undefined
      if (meaning === undefined) throw error
      return meaning
    }
  })
