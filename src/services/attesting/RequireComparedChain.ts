/**
 * Refuses claims about a chain that contradicts its configuration, or that was not compared with it yet.
 *
 * SECURITY: if the configured depository is not one, or the endpoints serve another chain, their answers are no
 * evidence of anything.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { ChainId, ChainSlug } from "../../domain/chain/ChainId.ts"
import { isKnownServing } from "../operations/CheckedConfiguration.ts"
import type { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"

export const requireComparedChain = (
  checked: CheckedConfiguration["Service"],
  { id, slug }: { readonly id: ChainId; readonly slug: ChainSlug }
): Effect.Effect<void, ChainUnavailable> => {
  const used = [{ chainId: id, currencies: [] }]
  return Clock.clockWith((clock) =>
    isKnownServing(checked, used, clock.currentTimeMillisUnsafe()) ? Effect.void : Effect.catchTag(
      checked.assertServing(used),
      "ConfigurationContradicted",
      () =>
        Effect.fail(
          new ChainUnavailable({ chain: slug, operation: "comparing the configuration", kind: "misconfigured" })
        )
    )
  )
}
