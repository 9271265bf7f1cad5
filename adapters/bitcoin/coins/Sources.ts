/**
 * The transactions that made coins, by their bytes. These hash to the id, so what was read once stays what it is: it is
 * remembered, whichever node has shown it.
 *
 * SECURITY: whoever pays an address chooses what made its coins. Fifty transactions of a megabyte in one answer are more
 * than a node sends within its time, so that nothing of the address could be spent any more. So few are asked for at
 * once, and a reading that was too slow leaves less to the next (BITCOIN-22).
 */
import { Effect } from "effect"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { bytesOfHex, RawBytes } from "../decode/NodeAnswers.ts"
import { decodedAs } from "../observe/ReadPlace.ts"
import { resultOf, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"

/** So many transactions in one answer. */
const TRANSACTIONS_AT_ONCE = 8

const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024

const bytesOf = resultOf(RawBytes)

/** What a transaction pays to one script. */
export interface Source {
  /** With witnesses, as the node has them. */
  readonly bytes: Uint8Array
  /** How many outputs it has, to whomever. */
  readonly outputs: number
  readonly paid: ReadonlyArray<{ readonly index: number; readonly amount: bigint }>
}

export type KnownSources = ByteBoundedCache<Source>

export const makeKnownSources = (): KnownSources => new ByteBoundedCache(MAX_REMEMBERED_BYTES)

export const partsOf = (ids: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(
    { length: Math.ceil(ids.length / TRANSACTIONS_AT_ONCE) },
    (_, at) => ids.slice(at * TRANSACTIONS_AT_ONCE, (at + 1) * TRANSACTIONS_AT_ONCE)
  )

/** By their ids. */
export const readSources = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    script: Uint8Array,
    ids: ReadonlyArray<string>,
    known: KnownSources,
    deadline: number
  ): Effect.fn.Return<ReadonlyMap<string, Source>, ReadFault> {
    const sources = new Map<string, Source>()
    const to = hexDigits(script)
    for (const id of ids) {
      const source = known.find(`${id} ${to}`)
      if (source !== undefined) sources.set(id, source)
    }
    for (const part of partsOf(ids.filter((id) => !sources.has(id)))) {
      const answers = yield* rpc.answers(part.map((id) => transactionCall(id, 0)), deadline)
      for (const [at, id] of part.entries()) {
        const hex = yield* bytesOf(answers[at])
        const { outputs } = yield* decodedAs(id, hex)
        const source: Source = {
          bytes: bytesOfHex(hex),
          outputs: outputs.length,
          paid: outputs.flatMap(({ amount, script: paidTo }, index) =>
            sameBytes(paidTo, script) ? [{ index, amount }] : []
          )
        }
        known.keep(`${id} ${to}`, source)
        sources.set(id, source)
      }
    }
    return sources
  }
)
