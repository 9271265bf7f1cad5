/**
 * Declares what a test shows of a VM family, next to the test: `it.effect(name, body, shows("bitcoin-vm", "deposit"))`,
 * or on a whole `describe`. docs/families.md is written only from these declarations of a run's tests. It is neither a
 * filter nor a verdict: a test with a declaration runs like any other.
 */
import type { FamilyName, VmFamily } from "../../src/domain/chain/VmFamily.ts"

/** The columns of the page, in order. */
export const columns = [
  "deposit",
  "payment",
  "withdrawal",
  "calls",
  "reorg",
  "negative suite",
  "transfers from",
  "transfers to",
  "refunds"
] as const

export type Column = (typeof columns)[number]

export interface Cell {
  readonly family: FamilyName
  readonly column: Column
}

/** From a family to a family: what a test has moved, or why there is nothing to move. */
export interface Pair {
  readonly from: FamilyName
  readonly to: FamilyName
  readonly says: { readonly moved: string } | { readonly lacks: string }
}

declare module "vitest" {
  interface TaskMeta {
    shows?: ReadonlyArray<Cell>
    pair?: Pair
  }
}

/** The options of a test or suite; write `{ ...shows(…), timeout }` when there are more. */
export const shows = (
  family: VmFamily,
  ...of: readonly [Column, ...ReadonlyArray<Column>]
): { readonly meta: { readonly shows: ReadonlyArray<Cell> } } => ({
  meta: { shows: of.map((column) => ({ family, column })) }
})

/** The same for a cell of the page's second table, from one family to another or within one. */
export const showsPair = (pair: Pair): { readonly meta: { readonly pair: Pair } } => ({ meta: { pair } })
