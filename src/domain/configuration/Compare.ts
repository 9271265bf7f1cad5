/**
 * Compares the configuration with what its chain answered. Each line has the entry, the configured value and the
 * answer.
 */
import type { ChainId, ChainSlug } from "../chain/ChainId.ts"
import type { CurrencyAddress } from "../chain/Address.ts"
import type { Ask, Covered, Expectation } from "./Expectation.ts"

/** One compared entry. */
export interface Compared {
  readonly entry: string
  readonly subject: string
  readonly configured: string
  readonly found: string
  readonly covers: Covered
  readonly verdict: "same" | "differs" | "warning"
}

const subjectOf = (ask: Ask): string => ask._tag === "Network" ? "" : ask.of

/** `found`: one answer for each expectation, in order. */
export const compare = (
  expectations: ReadonlyArray<Expectation>,
  found: ReadonlyArray<string>
): ReadonlyArray<Compared> =>
  expectations.flatMap(({ accepts = [], ask, configured, covers, entry, weight }, index) => {
    const answer = found[index]
    if (answer === undefined) return []
    const isSame = answer === configured || accepts.includes(answer)
    return [
      {
        entry,
        subject: subjectOf(ask),
        configured,
        found: answer,
        covers,
        verdict: isSame ? "same" : weight === "refuses" ? "differs" : "warning"
      } satisfies Compared
    ]
  })

/** Entry, configured and found, in one line. */
export const describeCompared = (slug: ChainSlug, { configured, entry, found, subject }: Compared): string =>
  `chain ${slug}: ${entry}${subject === "" ? "" : ` (${subject})`}: configured ${configured}, found ${found}`

/** A chain and the currencies of it that a transfer uses. */
export interface Used {
  readonly chainId: ChainId
  readonly currencies: ReadonlyArray<CurrencyAddress>
}

/** True when the transfer uses what the difference takes out of service. */
export const isCovered = (covers: Covered, used: Used): boolean =>
  covers.chainId === used.chainId && (covers._tag === "Chain" || used.currencies.includes(covers.currency))
