/** Hands a signed payment to a node, and reads what its refusal means. */
import type { Effect } from "effect"
import { BaseError } from "viem"
import type { Hex } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Broadcast, SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** What a node says of a transaction that it has already, or that is mined: nothing is left to do. */
const alreadyThere = /already known|nonce too low|already imported|already in mempool|known transaction/i

/** By itself (below the base fee, or the node's own minimum), or to take the place of what the node has. */
const underpriced = /underpriced|fee too low|fee cap too low|less than block base fee|gas price below|tip too low/i

const unfunded = /insufficient funds|insufficient balance/i

/**
 * Nodes keep one transaction for an account that has signed an authorization, and judge some of them before they take
 * any.
 */
const unauthorized = /authorit(?:y|ies) .*reserved|authori[sz]ation|transaction type not supported/i

const carriesAuthorizations = (raw: Hex): boolean => raw.startsWith("0x04")

/** What a refusal of a node means; undefined for one that says nothing of the payment. */
const meaningOf = (refusal: string, raw: Hex): Broadcast | undefined => {
  if (alreadyThere.test(refusal)) return "accepted"
  if (carriesAuthorizations(raw) && unauthorized.test(refusal)) return "unauthorized"
  if (underpriced.test(refusal)) return "underpriced"
  return unfunded.test(refusal) ? "unfunded" : undefined
}

/** Sending what the node has already is no error. */
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
