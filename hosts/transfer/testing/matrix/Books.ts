/** What must hold of a way that was walked, and of the hub after all of them: to the unit. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Hex } from "viem"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { solverOnHub } from "./Way.ts"
import type { Walked, Way } from "./Way.ts"

/**
 * It ended as it should, with the quoted amounts. What was deposited is settled: in that transaction the solver got it
 * on the hub.
 */
export const assertWalked = (
  { amount, byAddress = false, ends }: Pick<Way, "amount" | "byAddress" | "ends">,
  { arrived, given, quoted, refunded, settled, status }: Walked
): void => {
  assert.strictEqual(status, ends === "refund" ? "refund" : "success")
  assert.strictEqual(quoted.in, amount)
  switch (ends) {
    case "swap":
      return assert.isTrue(arrived >= quoted.least && quoted.least > 0n, `${arrived}`)
    case "send":
      return assert.deepStrictEqual([arrived, quoted.out], [amount, amount])
    case "refund":
      assert.deepStrictEqual(refunded, [`${arrived}`])
      break
    case "fill":
      // What comes by an address is priced when it is swept.
      if (byAddress) assert.isTrue(arrived >= quoted.least && arrived * 100n < quoted.out * 101n, `${arrived}`)
      else assert.strictEqual(arrived, quoted.out)
  }
  assert.deepStrictEqual(settled, ["settled"])
  assert.include(given, amount)
}

/** The solver has on the hub what the ways deposited, of each currency, and nothing else. */
export const assertOnHub = Effect.fnUntraced(function*(
  { held, solver }: { readonly held: (of: Hex, token: bigint) => Effect.Effect<bigint>; readonly solver: string },
  ways: ReadonlyArray<Way>
) {
  const tokenOf = ({ from: { ref }, paid }: Way) => Result.getOrThrow(hubTokenId(ref, paid.address))
  for (const [token, of] of Map.groupBy(ways, tokenOf)) {
    const deposited = of.reduce((sum, { amount }) => sum + amount, 0n)
    const names = of.map(({ from, paid }) => `${paid.symbol} of ${from.slug}`)
    assert.strictEqual(yield* held(solverOnHub(solver), token), deposited, names[0])
  }
})
