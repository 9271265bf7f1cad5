/**
 * Whether a chain and its currencies are in service: matched, not read yet, or contradicted by what was read.
 *
 * SECURITY: nothing is in service before it was compared. A contradicted hub stops every transfer, since payments would
 * never be settled. A hub that cannot be read yet stops none, since settling waits for it in any case.
 */
import type { Chain } from "../chain/Chain.ts"
import { isCovered } from "./Compare.ts"
import type { Compared, Used } from "./Compare.ts"
import type { Expectation } from "./Expectation.ts"

/** A checked entry of the configuration: a chain or a hub. */
export interface CheckedEntry {
  readonly chain: Chain
  readonly role: "chain" | "hub"
  readonly expectations: ReadonlyArray<Expectation>
}

/** The latest comparison of a chain's configuration with the chain. */
export type Reading =
  | { readonly _tag: "Unread" }
  | { readonly _tag: "Read"; readonly compared: ReadonlyArray<Compared>; readonly differences: ReadonlyArray<Compared> }

/** Finds the differences once, because every quote asks for them. */
export const readingOf = (compared: ReadonlyArray<Compared>): Reading => ({
  _tag: "Read",
  compared,
  differences: compared.filter(({ verdict }) => verdict === "differs")
})

/** The current state of a configuration entry. */
export interface Standing {
  readonly entry: CheckedEntry
  readonly reading: Reading
}

/** Why a chain is not quoted from: it was never read, or it contradicts its configuration. */
export type OutOfService =
  | { readonly _tag: "Unread"; readonly chain: Chain }
  | { readonly _tag: "Contradicted"; readonly chain: Chain; readonly compared: Compared }

/** The differences that a reading has found. None while nothing was read, which confirms nothing. */
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
 * Why something that is used is out of service. Undefined when nothing is. Contradictions come first, since an operator
 * can act on them.
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

/** True while an entry that is used was not read yet. */
export const wants = (standing: Standing, used: ReadonlyArray<Used>): boolean => isMissing(standing, used)
