/** Sends a signed payment to a node, with the parents that it needs, and interprets the node's refusal (BITCOIN-20). */
import { Effect, Schema } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Broadcast } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import type { PaymentForm, StoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { Refusal } from "../decode/NodeAnswers.ts"
import type { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { sendCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { placeOf } from "./Landing.ts"

const decodeRefusal = Schema.decodeUnknownEffect(Refusal)

/** The coins are spent, or the node lacks the transaction that made them. */
const MISSING_COINS = -25
/** A rule of the node's pool. */
const REJECTED = -26
const ALREADY_IN_BLOCK = -27

/** Its words where the fee is too low, or where what waits in the pool is in the way. A higher fee may help there. */
const HELD_BACK = [
  "fee not met",
  "insufficient fee",
  "insufficient priority",
  "mempool full",
  "mempool-full",
  "too-long-mempool-chain",
  "package-mempool-limits",
  "too-large-cluster",
  "txn-mempool-conflict",
  "txn-same-nonwitness-data-in-mempool",
  "bad-txns-spends-conflicting-tx",
  "replacement"
]

const isHeldBack = (message: string): boolean => HELD_BACK.some((words) => message.includes(words))

const meaningOf = Effect.fnUntraced(
  function*(rpc: CoreRpc, form: PaymentForm, error: unknown, deadline: number): Effect.fn.Return<Broadcast, ReadFault> {
    const { code, message } = yield* Effect.mapError(decodeRefusal(error), (): ReadFault => "undecodable")
    if (code === ALREADY_IN_BLOCK || message.startsWith("txn-already")) return "accepted"
    if (code === REJECTED && isHeldBack(message)) return "underpriced"
    // Refused for its form, by a node with rules of its own: no fee gets it there, but another node may take it.
    if (code !== MISSING_COINS) return yield* Effect.fail("refused" as const)
    // A node that has the payment in a block, and its outputs spent, says the same.
    return (yield* placeOf(rpc, form.id, deadline)) === undefined ? "unfunded" : "accepted"
  }
)

/** A node that has forgotten a parent would refuse its child. */
export const broadcast = (
  { call }: BitcoinRpc["Service"],
  chain: Chain,
  { ancestors, form }: StoredForm
): Effect.Effect<Broadcast, ChainUnavailable> =>
  call(
    chain,
    "broadcast",
    (client) =>
      client.read(Effect.fnUntraced(function*(rpc, deadline): Effect.fn.Return<Broadcast, ReadFault> {
        let said: Broadcast = "accepted"
        for (const each of [...ancestors, form]) {
          const [answer] = yield* rpc.answers([sendCall(hexDigits(each.bytes))], deadline)
          if (answer === undefined) return yield* Effect.fail("refused" as const)
          const isTaken = answer.error === undefined || answer.error === null
          said = isTaken ? "accepted" : yield* meaningOf(rpc, each, answer.error, deadline)
        }
        return said
      }))
  )
