/**
 * A team's own sponsorship policy, tested against the laws of the kit in the team's own suite. Here with Node's test
 * runner; any other works as well. `node --test examples/own-sponsorship.test.ts`
 */
import { type Split, type SplitInput, splitSponsorship } from "causeway-kit"
import { sponsorshipLaws } from "causeway-kit/property-tests"
import { test } from "node:test"

const remembered = new Map<string, Split>()

/** Two inputs with the same key share a split, so the key must contain every field. Leave one out and a law fails. */
const keyOf = (input: SplitInput): string =>
  JSON.stringify(input, (_, value: unknown) => typeof value === "bigint" ? `${value}n` : value)

/** The policy of this team: the kit's split, cached between the quotes of one session. */
const ourSplit = (input: SplitInput): Split => {
  const known = remembered.get(keyOf(input))
  if (known !== undefined) return known
  const split = splitSponsorship(input)
  remembered.set(keyOf(input), split)
  return split
}

for (const { check, name } of sponsorshipLaws(ourSplit)) {
  void test(name, () => check(200))
}
