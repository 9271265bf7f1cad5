/**
 * Which executions are submitted together: as many as are worth one transaction and fit into it, those of one deposit
 * always together and in their order, because what was minted is moved after it. Pure.
 */
import type { Address } from "../../chain/Address.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { Execution } from "../Execution.ts"

/** An execution with signatures that the gate takes: sorted by signer, as many as its threshold. */
export interface SignedCall extends Execution {
  readonly signatures: ReadonlyArray<Hex>
  /** Where the gate is told one oracle (EXEC-6, EXEC-7): the account that signed, or the contract whose signers did. */
  readonly oracle?: Address | undefined
}

/** What settles one deposit. */
export interface Ready {
  readonly deposit: Hex32
  readonly calls: ReadonlyArray<SignedCall>
  /** It was refused together with others before: whose fault that was shows when it goes alone. */
  readonly alone: boolean
}

/**
 * An action is a storage write or two on the hub; with their signatures so many are far from a quarter of any block.
 */
const MOST_ACTIONS = 48

/** Each a transaction. What has more actions than that by itself goes alone. */
export const packed = (ready: ReadonlyArray<Ready>): ReadonlyArray<ReadonlyArray<Ready>> => {
  const packs: Array<Array<Ready>> = []
  let room = 0
  for (const one of ready) {
    const actions = one.calls.reduce((sum, call) => sum + call.actions.length, 0)
    const last = packs.at(-1)
    if (one.alone || last === undefined || actions > room) {
      packs.push([one])
      room = one.alone ? 0 : MOST_ACTIONS - actions
    } else {
      last.push(one)
      room -= actions
    }
  }
  return packs
}

/** The calls of a pack, each key once: two deposits of one transaction are minted by one execution. */
export const callsOf = (pack: ReadonlyArray<Ready>): ReadonlyArray<SignedCall> => {
  const calls = new Map<Hex32, SignedCall>()
  for (const call of pack.flatMap((each) => each.calls)) {
    if (!calls.has(call.idempotencyKey)) calls.set(call.idempotencyKey, call)
  }
  return [...calls.values()]
}
