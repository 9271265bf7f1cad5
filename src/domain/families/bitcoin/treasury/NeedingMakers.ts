/**
 * Which transactions need others, however far back: what of a chain of unfinal coins cannot be proven, and what a payment
 * of such a coin has to keep.
 *
 * SECURITY: strangers make these chains, of thousands of transactions. Each input is looked at once (BITCOIN-23).
 */
import type { SpendingInputs } from "./DeadPayment.ts"

/** The makers that need one of these, however far on, and these. */
export const needing = (
  unknown: ReadonlySet<string>,
  makers: ReadonlyMap<string, SpendingInputs>
): ReadonlySet<string> => {
  const spenders = new Map<string, Array<string>>()
  for (const { id, inputs } of makers.values()) {
    for (const { transactionId } of inputs) {
      if (!makers.has(transactionId) && !unknown.has(transactionId)) continue
      const known = spenders.get(transactionId)
      if (known === undefined) spenders.set(transactionId, [id])
      else known.push(id)
    }
  }
  const all = new Set(unknown)
  const waiting = [...unknown]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (const spender of spenders.get(id) ?? []) {
      if (all.has(spender)) continue
      all.add(spender)
      waiting.push(spender)
    }
  }
  return all
}

/**
 * The makers that one transaction needs, and itself, however far back. Undefined where they have more inputs than `most`:
 * no more than that is looked at.
 */
export const neededWithin = (
  from: string,
  makers: ReadonlyMap<string, SpendingInputs>,
  most: number
): ReadonlyArray<SpendingInputs> | undefined => {
  const needed = new Map<string, SpendingInputs>()
  const waiting = [from]
  let left = most
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const maker = needed.has(id) ? undefined : makers.get(id)
    if (maker === undefined) continue
    left -= maker.inputs.length
    if (left < 0) return undefined
    needed.set(id, maker)
    for (const { transactionId } of maker.inputs) waiting.push(transactionId)
  }
  return [...needed.values()]
}
