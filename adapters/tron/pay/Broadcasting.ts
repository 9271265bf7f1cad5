/** Sends a signed payment to a node as the bytes that were stored, and interprets the node's refusal. */
import { Effect, Schema } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Broadcast } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { StoredPayment } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { RawBroadcast, wordsOf } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadPlace.ts"
import type { TronFault, TronRpc } from "../rpc/TronRpc.ts"

const decodeBroadcast = Schema.decodeUnknownEffect(RawBroadcast)

/**
 * A node that has it already; one that is on a fork without the block that it names; or its time has passed. Then it is
 * sent again, or expires and is decided again.
 */
const noFault: ReadonlySet<string> = new Set(["DUP_TRANSACTION_ERROR", "TAPOS_ERROR", "TRANSACTION_EXPIRATION_ERROR"])

/** Undefined when the node cannot take it now, or takes it for something else: another one is asked. */
const meaningOf = ({ code = "", message, result }: RawBroadcast): Broadcast | undefined => {
  if (result === true || noFault.has(code)) return "accepted"
  // What the account has for bandwidth is not enough.
  if (code === "BANDWITH_ERROR") return "unfunded"
  if (code !== "CONTRACT_VALIDATE_ERROR") return undefined
  // Any other rule about the state may pass later, or the payment expires.
  return /balance is not sufficient/i.test(wordsOf(message)) ? "unfunded" : "accepted"
}

export const broadcast = (
  { call }: TronRpc["Service"],
  chain: Chain,
  { signedHex }: StoredPayment
): Effect.Effect<Broadcast, ChainUnavailable> =>
  call(
    chain,
    "broadcast",
    (client) =>
      client.read(Effect.fnUntraced(function*(node, deadline): Effect.fn.Return<Broadcast, TronFault> {
        const answer = yield* node.wallet("broadcasthex", { transaction: signedHex }, deadline)
        return meaningOf(yield* undecodable(decodeBroadcast(answer))) ?? (yield* Effect.fail("refused" as const))
      }))
  )
