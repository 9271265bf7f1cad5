/** Facts of chains of all families of this repository, with no family variable set. */
import { ConfigProvider, Effect, Layer } from "effect"
import { families } from "../../families.ts"
import { layerFacts } from "../../routing/Facts.ts"
import type { CheckedChain } from "../../routing/Facts.ts"
import { readSettings } from "../../routing/PerFamily.ts"

export const layerChainFacts = (checked: ReadonlyArray<CheckedChain>) =>
  Layer.unwrap(
    readSettings(families, ({ observe }) => observe, []).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({})),
      Effect.orDie,
      Effect.map((settings) => layerFacts(checked, settings))
    )
  )
