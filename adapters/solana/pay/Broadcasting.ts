/** Sends a signed payment to a node, and interprets the node's refusal. */
import {
  isSolanaError,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__INSTRUCTION_ERROR__INSUFFICIENT_FUNDS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT
} from "@solana/kit"
import type { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Broadcast, SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { SolanaRpc } from "../rpc/SolanaRpc.ts"
import { decodeSigned } from "./SignedBytes.ts"

const unfunded = [
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__INSTRUCTION_ERROR__INSUFFICIENT_FUNDS
] as const

/** The code with which the System and the token program report a missing balance. */
const TOO_LITTLE = 1

const isUnfunded = (cause: unknown): boolean =>
  unfunded.some((code) => isSolanaError(cause, code)) ||
  (isSolanaError(cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM) && cause.context.code === TOO_LITTLE)

/**
 * The meaning of a failed simulation. Any other refusal may pass later, or the payment expires and is decided again.
 * None of this is the endpoint's fault.
 */
const meaningOf = (cause: unknown): Broadcast => isUnfunded(cause) ? "unfunded" : "accepted"

const isThere = (error: unknown): boolean => isSolanaError(error, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)

/** Sending a transaction that the chain already has is not an error. */
export const broadcast = (
  rpc: SolanaRpc["Service"],
  chain: Chain,
  signed: SignedPayment
): Effect.Effect<Broadcast, ChainUnavailable> =>
  rpc.call(chain, "broadcast", async (client) => {
    try {
      // The node forwards it once. We send it again as long as it can be executed.
      await client.sendTransaction(decodeSigned(signed.raw).wire, {
        encoding: "base64",
        preflightCommitment: "confirmed",
        maxRetries: 0n
      }).send()
      return "accepted"
    } catch (error) {
      if (isThere(error)) return "accepted"
      if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) {
        throw error
      }
      return meaningOf(error.cause)
    }
  })
