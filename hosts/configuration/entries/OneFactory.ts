/**
 * Checks that all chains have the same factory of deposit addresses: an address must be equal on every chain.
 *
 * SECURITY: otherwise money sent to the address on the wrong chain could never be swept.
 */
import { Result } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Problem } from "../Variables.ts"

export const oneFactory = (chains: ReadonlyArray<Chain>): Result.Result<void, Problem> => {
  const named = chains.flatMap(({ depositAddresses, slug }) =>
    depositAddresses?.factory === undefined ? [] : [{ slug, factory: depositAddresses.factory }]
  )
  const [first] = named
  const others = named.filter(({ factory }) => factory !== first?.factory)
  return first === undefined || others.length === 0
    ? Result.succeed(undefined)
    : Result.fail(
      new Problem({
        message: `depositAddresses.factory must be the same on every chain: ${
          others.map(({ slug }) => slug).join(", ")
        } and ${first.slug} differ`
      })
    )
}
