/** Hands a signed payment to a node, and reads what its refusal means. */
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

/** What the System and the token program call having too little. */
const TOO_LITTLE = 1

const isUnfunded = (cause: unknown): boolean =>
  unfunded.some((code) => isSolanaError(cause, code)) ||
  (isSolanaError(cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM) && cause.context.code === TOO_LITTLE)

/**
 * What a node's trial of a payment means. Whatever else it would not carry out now it may carry out later, or it
 * expires and is decided anew: nothing of that is the endpoint's fault.
 */
const meaningOf = (cause: unknown): Broadcast => isUnfunded(cause) ? "unfunded" : "accepted"

const isThere = (error: unknown): boolean => isSolanaError(error, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)

/** Sending what the chain has already is no error. */
export const broadcast = (
  rpc: SolanaRpc["Service"],
  chain: Chain,
  signed: SignedPayment
): Effect.Effect<Broadcast, ChainUnavailable> =>
  rpc.call(chain, "broadcast", async (client) => {
    try {
      // The node hands it on once: sending it again is ours, as long as it lives.
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
