/** Sends a signed payment to a node, and interprets the node's refusal. */
import type { Effect } from "effect"
import { BaseError } from "viem"
import type { Hex } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Broadcast, SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { meaningOf } from "./NodeRefusals.ts"

const carriesAuthorizations = (raw: Hex): boolean => raw.startsWith("0x04")

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
        ? meaningOf(`${error.shortMessage} ${error.details}`, {
          carriesAuthorizations: carriesAuthorizations(viemHex(signed.raw))
        })
        : undefined
      if (meaning === undefined) throw error
      return meaning
    }
  })
