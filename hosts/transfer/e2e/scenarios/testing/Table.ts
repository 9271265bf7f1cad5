/** Amounts and tables of a page. */
import { formatDecimal } from "../../../../../src/domain/money/Decimal.ts"
import type { Balances } from "./Played.ts"

/** In whole units, with every decimal. */
export const money = (units: bigint | string, decimals = 6): string => formatDecimal(BigInt(units), decimals, decimals)

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map((_, index) => index === 0 ? "---" : "---:"), ...rows].map((row) => `| ${row.join(" | ")} |`).join(
    "\n"
  )

export const balances = (before: Balances, after: Balances, decimals = 6): string => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  const rows = names.map((name) => {
    const [was, is] = [before[name] ?? 0n, after[name] ?? 0n]
    return [
      name,
      money(was, decimals),
      money(is, decimals),
      was === is ? "" : `${is > was ? "+" : ""}${money(is - was, decimals)}`
    ]
  })
  return table(["balance", "before", "after", "change"], rows)
}
