/**
 * The chains' factories of deposit addresses are one: an address must be the same on every chain.
 *
 * SECURITY: what is paid to it on the wrong chain could not be swept if that chain had another factory, for good.
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
