/** What a family has no way for, each with its reason on the page and the check that it is really so. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { FamilyRules } from "../../../../src/domain/families/FamilyRules.ts"
import { get } from "../Get.ts"
import type { MatrixFamily } from "./MatrixFamily.ts"
import type { StartedFamily } from "./StartMatrix.ts"

const Chains = Schema.Struct({
  chains: Schema.Array(Schema.Struct({
    id: Schema.Int,
    vmType: Schema.String,
    solverCurrencies: Schema.Array(Schema.Unknown)
  }))
})

const chainsAt = (url: string) =>
  Effect.map(get(`${url}/chains`), ({ json }) => Schema.decodeUnknownSync(Chains)(json()).chains)

/** A check over a running network. */
interface Lack {
  readonly reason: string
  readonly check: (url: string, family: StartedFamily) => Effect.Effect<void>
}

const oneChain = ({ apiName }: FamilyRules): Lack => ({
  reason: "one local chain",
  check: Effect.fnUntraced(function*(url) {
    assert.lengthOf((yield* chainsAt(url)).filter(({ vmType }) => vmType === apiName), 1)
  })
})

const oneCurrency: Lack = {
  reason: "one currency: nothing to swap",
  check: Effect.fnUntraced(function*(url, { chain: { chainId } }) {
    const chain = (yield* chainsAt(url)).find(({ id }) => id === chainId)
    assert.lengthOf(chain?.solverCurrencies ?? [], 1)
  })
}

export const lacksOf = (
  { hasSecondChain, swapped, token }: MatrixFamily,
  rules: FamilyRules
): ReadonlyArray<Lack> => [
  ...(hasSecondChain ? [] : [oneChain(rules)]),
  ...(swapped === undefined && token === undefined ? [oneCurrency] : [])
]
