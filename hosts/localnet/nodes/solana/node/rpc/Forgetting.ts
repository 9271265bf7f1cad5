/**
 * Wraps a node's methods as those of a node without the complete past: it was started late, prunes its ledger, or has
 * jumped to a snapshot. It answers like real nodes: null, an error by its code, a shorter list.
 */
import type { Fault } from "./Faults.ts"
import type { Methods } from "./Methods.ts"
import { cleanedUp, slotSkipped } from "./RpcError.ts"

/** The slots, both ends included, of which it has nothing. */
export type Forgotten = Pick<Extract<Fault, { readonly kind: "forgets" }>, "from" | "to">

const slotOf = (shown: unknown): number | undefined =>
  typeof shown === "object" && shown !== null && "slot" in shown && typeof shown.slot === "number"
    ? shown.slot
    : undefined

export const forgetting = (methods: Methods, { from, to }: Forgotten): Methods => {
  const isGone = (slot: unknown): boolean => typeof slot === "number" && slot >= from && slot <= to
  /** Where its history begins, when the missing part is the beginning. */
  const begins = from === 0 ? to + 1 : undefined
  const honest = (method: string, params: unknown): unknown => methods[method]?.(params)
  const ofSlot = (method: string) => (params: unknown): unknown => {
    const slot: unknown = Array.isArray(params) ? params[0] : undefined
    if (typeof slot === "number" && isGone(slot)) {
      throw begins === undefined
        ? slotSkipped(slot)
        : cleanedUp(slot, begins)
    }
    return honest(method, params)
  }
  const list = (method: string, isLeft: (each: unknown) => boolean) => (params: unknown): unknown => {
    const all = honest(method, params)
    return Array.isArray(all) ? all.filter(isLeft) : all
  }
  return {
    ...methods,
    getFirstAvailableBlock: (params) => begins ?? honest("getFirstAvailableBlock", params),
    getBlock: ofSlot("getBlock"),
    getBlockTime: ofSlot("getBlockTime"),
    getBlocks: list("getBlocks", (slot) => !isGone(slot)),
    getBlocksWithLimit: list("getBlocksWithLimit", (slot) => !isGone(slot)),
    getSignaturesForAddress: list("getSignaturesForAddress", (each) => !isGone(slotOf(each))),
    getTransaction: (params) => {
      const shown = honest("getTransaction", params)
      return isGone(slotOf(shown)) ? null : shown
    },
    getSignatureStatuses: (params) => {
      const shown = honest("getSignatureStatuses", params)
      return typeof shown === "object" && shown !== null && "value" in shown && Array.isArray(shown.value)
        ? { ...shown, value: shown.value.map((each: unknown) => isGone(slotOf(each)) ? null : each) }
        : shown
    }
  }
}
