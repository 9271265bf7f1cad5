/**
 * Sends a signed payment to a node as the bytes that were stored, and interprets the node's refusal. Of a sweep, the
 * transfer that funds it goes first. The sweep itself is sent once the node has that in a block.
 */
import { Effect, Schema } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Broadcast } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { StoredPayment, StoredTransaction } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { RawBroadcast, wordsOf } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadPlace.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import type { TronFault, TronRpc } from "../rpc/TronRpc.ts"
import { infoOf } from "./Landing.ts"

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

const sendTo = Effect.fnUntraced(
  function*(node: TronNode, signedHex: string, deadline: number): Effect.fn.Return<Broadcast, TronFault> {
    const answer = yield* node.wallet("broadcasthex", { transaction: signedHex }, deadline)
    return meaningOf(yield* undecodable(decodeBroadcast(answer))) ?? (yield* Effect.fail("refused" as const))
  }
)

/** A sweep whose address lacks TRX after all expires, and the next one is sent more: not for want of the solver's money. */
const sendSweep = Effect.fnUntraced(
  function*(
    node: TronNode,
    funding: StoredTransaction,
    signedHex: string,
    deadline: number
  ): Effect.fn.Return<Broadcast, TronFault> {
    if ((yield* infoOf(node.wallet, funding.transaction.id, deadline)) === undefined) {
      return yield* sendTo(node, funding.signedHex, deadline)
    }
    const said = yield* sendTo(node, signedHex, deadline)
    return said === "unfunded" ? "accepted" : said
  }
)

export const broadcast = (
  { call }: TronRpc["Service"],
  chain: Chain,
  { funding, signedHex }: StoredPayment
): Effect.Effect<Broadcast, ChainUnavailable> =>
  call(
    chain,
    "broadcast",
    (client) =>
      client.read((node, deadline) =>
        funding === undefined
          ? sendTo(node, signedHex, deadline)
          : sendSweep(node, funding, signedHex, deadline)
      )
  )
