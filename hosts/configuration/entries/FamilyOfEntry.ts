/** The family that an entry names, and lists of families for messages. */
import { Result } from "effect"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import type { EntryPart } from "../../../adapters/family/EntryRules.ts"
import type { ChainEntry } from "./ChainsFile.ts"
import { problem } from "./CurrencyFromEntry.ts"
import type { Problem } from "../Variables.ts"

export const familyOf = (
  entry: Pick<ChainEntry, "id" | "vmType">,
  families: ReadonlyArray<ChainFamily>
): Result.Result<ChainFamily, Problem> => {
  const family = families.find(({ rules }) => rules.name === entry.vmType)
  return family === undefined
    ? problem(
      entry,
      `vmType: this service knows no family ${entry.vmType}; it knows ${
        families.map(({ rules }) => rules.name).join(", ")
      }`
    )
    : Result.succeed(family)
}

/** The families whose entries may have this part. */
export const withPart = (families: ReadonlyArray<ChainFamily>, part: EntryPart): ReadonlyArray<ChainFamily> =>
  families.filter(({ entries }) => entries.parts.includes(part))

/** "Solana, Bitcoin and Tron". */
export const listed = (families: ReadonlyArray<ChainFamily>): string => {
  const titles = families.map(({ title }) => title)
  return titles.length < 2 ? titles.join() : `${titles.slice(0, -1).join(", ")} and ${titles.at(-1)}`
}
