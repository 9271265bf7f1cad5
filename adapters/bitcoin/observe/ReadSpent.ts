/**
 * What a transaction spends. The node may say it; otherwise it is read from the earlier transactions, by their own ids.
 */
import { Effect } from "effect"
import type { BtcOutpoint, BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { bytesOfHex, RawBytes } from "../decode/NodeAnswers.ts"
import type { RawTransaction } from "../decode/NodeAnswers.ts"
import { resultOf, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { decodedAs } from "./ReadPlace.ts"

const bytesOf = resultOf(RawBytes)

/** The most earlier transactions that are read when the node does not say what the inputs spend. */
const MOST_SOURCES = 500
const SOURCES_AT_ONCE = 25

/** What the inputs spend, read from the transactions that created it. */
const fromSources = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    { inputs }: BtcTransaction,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Uint8Array>, ReadFault> {
    const ids = [...new Set(inputs.map(({ transactionId }) => transactionId))]
    if (ids.length > MOST_SOURCES) return yield* Effect.fail("refused" as const)
    const scripts = new Map<BtcOutpoint, Uint8Array>()
    for (let from = 0; from < ids.length; from += SOURCES_AT_ONCE) {
      const asked = ids.slice(from, from + SOURCES_AT_ONCE)
      const answers = yield* rpc.answers(asked.map((id) => transactionCall(id, 0)), deadline)
      for (const [at, id] of asked.entries()) {
        const { outputs } = yield* decodedAs(id, yield* bytesOf(answers[at]))
        for (const input of inputs.filter(({ transactionId }) => transactionId === id)) {
          const script = outputs[input.index]?.script
          // Copied: a script is a view of the transaction's bytes, and would keep megabytes of them in memory.
          if (script !== undefined) scripts.set(input, script.slice())
        }
      }
    }
    return yield* Effect.forEach(inputs, (input) => {
      const script = scripts.get(input)
      return script === undefined ? Effect.fail("contradiction" as const) : Effect.succeed(script)
    })
  }
)

/** The scripts that a transaction spends, in the order of its inputs. Empty for a coinbase. */
export const readSpent = (
  rpc: CoreRpc,
  transaction: BtcTransaction,
  { vin }: RawTransaction,
  deadline: number
): Effect.Effect<ReadonlyArray<Uint8Array>, ReadFault> => {
  if (isCoinbase(transaction)) return Effect.succeed([])
  const told = vin.flatMap(({ prevout }) => prevout === undefined ? [] : [bytesOfHex(prevout.scriptPubKey.hex)])
  return vin.length === transaction.inputs.length && told.length === vin.length
    ? Effect.succeed(told)
    : fromSources(rpc, transaction, deadline)
}
