/**
 * Which executions are submitted in one transaction: as many as fit. Those of one deposit stay together and in order,
 * because a mint must precede the transfer of what it minted. Pure.
 */
import type { Address } from "../../chain/Address.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { Execution } from "../Execution.ts"

/** An execution with signatures that the gate accepts: sorted by signer, as many as its threshold. */
export interface SignedCall extends Execution {
  readonly signatures: ReadonlyArray<Hex>
  /** For gates that name one oracle (EXEC-6, EXEC-7): the account that signed, or the contract whose signers did. */
  readonly oracle?: Address | undefined
}

/** The executions that settle one deposit. */
export interface Ready {
  readonly deposit: Hex32
  readonly calls: ReadonlyArray<SignedCall>
  /** It was refused before together with others. Submitted alone, it shows whether it was the cause. */
  readonly alone: boolean
}

/**
 * An action takes one or two storage writes on the hub. With signatures this many need far less than a quarter of a
 * block.
 */
const MOST_ACTIONS = 48

/** Each pack is one transaction. A deposit with more actions than MOST_ACTIONS goes alone. */
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

/** The calls of a pack, each key once: one execution mints two deposits of one transaction. */
export const callsOf = (pack: ReadonlyArray<Ready>): ReadonlyArray<SignedCall> => {
  const calls = new Map<Hex32, SignedCall>()
  for (const call of pack.flatMap((each) => each.calls)) {
    if (!calls.has(call.idempotencyKey)) calls.set(call.idempotencyKey, call)
  }
  return [...calls.values()]
}
