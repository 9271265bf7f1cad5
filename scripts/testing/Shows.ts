/**
 * What a test shows of a VM family, declared where the test is: `it.effect(name, body, shows("bitcoin-vm",
 * "deposit"))`, or on a whole `describe`. docs/families.md is written from the tests of a run that declare so, and from
 * nothing else. Not a filter, and no verdict: a test that declares a cell is a test like any other.
 */
import type { FamilyName, VmFamily } from "../../src/domain/chain/VmFamily.ts"

/** The columns of the page, in its order. */
export const columns = ["deposit", "payment", "withdrawal", "calls", "reorg", "negative suite"] as const

export type Column = (typeof columns)[number]

export interface Cell {
  readonly family: FamilyName
  readonly column: Column
}

declare module "vitest" {
  interface TaskMeta {
    shows?: ReadonlyArray<Cell>
  }
}

/** Options of a test or of a suite; `{ ...shows(…), timeout }` where there are more. */
export const shows = (
  family: VmFamily,
  ...of: readonly [Column, ...ReadonlyArray<Column>]
): { readonly meta: { readonly shows: ReadonlyArray<Cell> } } => ({
  meta: { shows: of.map((column) => ({ family, column })) }
})
