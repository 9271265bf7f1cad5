/**
 * Whether a chain and its currencies serve: believed, not read yet, or contradicted by what was read.
 *
 * SECURITY: nothing serves that was not compared. A hub that is contradicted stops every transfer, as what is paid
 * would never be settled; one that cannot be read yet stops none, since settling waits for it in any case.
 */
import type { Chain } from "../chain/Chain.ts"
import { isCovered } from "./Compare.ts"
import type { Compared, Used } from "./Compare.ts"
import type { Expectation } from "./Expectation.ts"

/** An entry of the configuration: a chain of it, or a hub. */
export interface CheckedEntry {
  readonly chain: Chain
  readonly role: "chain" | "hub"
  readonly expectations: ReadonlyArray<Expectation>
}

export type Reading =
  | { readonly _tag: "Unread" }
  | { readonly _tag: "Read"; readonly compared: ReadonlyArray<Compared>; readonly differences: ReadonlyArray<Compared> }

/** Of what was compared; asked for every quote, so that differences are found once. */
export const readingOf = (compared: ReadonlyArray<Compared>): Reading => ({
  _tag: "Read",
  compared,
  differences: compared.filter(({ verdict }) => verdict === "differs")
})

/** What stands for an entry of the configuration now. */
export interface Standing {
  readonly entry: CheckedEntry
  readonly reading: Reading
}

export type OutOfService =
  | { readonly _tag: "Unread"; readonly chain: Chain }
  | { readonly _tag: "Contradicted"; readonly chain: Chain; readonly compared: Compared }

export const differencesOf = (reading: Reading): ReadonlyArray<Compared> =>
  reading._tag === "Unread" ? [] : reading.differences

const contradicts = (
  { entry: { chain, role }, reading }: Standing,
  used: ReadonlyArray<Used>
): OutOfService | undefined => {
  const compared = differencesOf(reading).find(({ covers }) =>
    role === "hub" || used.some((each) => isCovered(covers, each))
  )
  return compared === undefined ? undefined : { _tag: "Contradicted", chain, compared }
}

const isMissing = ({ entry: { chain, expectations, role }, reading }: Standing, used: ReadonlyArray<Used>): boolean =>
  role === "chain" && reading._tag === "Unread" &&
  used.some((each) => each.chainId === chain.id || expectations.some(({ covers }) => isCovered(covers, each)))

/**
 * Why what is used does not serve; undefined when it does. What contradicts comes first: an operator can do something
 * about it.
 */
export const whyOutOfService = (
  standings: ReadonlyArray<Standing>,
  used: ReadonlyArray<Used>
): OutOfService | undefined => {
  const [contradicted] = standings.flatMap((standing) => contradicts(standing, used) ?? [])
  if (contradicted !== undefined) return contradicted
  const missing = standings.find((standing) => isMissing(standing, used))
  return missing === undefined ? undefined : { _tag: "Unread", chain: missing.entry.chain }
}

/** True while something of an entry that is used was not read yet. */
export const wants = (standing: Standing, used: ReadonlyArray<Used>): boolean => isMissing(standing, used)
