/** The families on whose chains this service transfers, and the variables that each of them reads. */
import { Effect, Result } from "effect"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import { refuseWrong } from "../../../adapters/family/Variables.ts"
import type { DeclaredVariable } from "../../../adapters/family/Variables.ts"
import type { ConfiguredMarket } from "../../configuration/LoadChains.ts"
import { Problem } from "../../configuration/Variables.ts"
import { readSettings } from "../../routing/PerFamily.ts"

/** The families that support transfers. */
export const transferring = (families: ReadonlyArray<ChainFamily>): ReadonlyArray<ChainFamily> =>
  families.filter(({ transfer }) => transfer !== undefined)

/** Their variables, for reading chains and for paying on them. */
export const familyVariables = (families: ReadonlyArray<ChainFamily>): ReadonlyArray<DeclaredVariable> =>
  transferring(families).flatMap(({ observe, transfer }) => [...observe.variables, ...(transfer?.variables ?? [])])

/** Refuses configuration that no adapter supports: it would fail later, when money is involved. */
export const refuseUnserved = (
  families: ReadonlyArray<ChainFamily>,
  configured: ConfiguredMarket
): Result.Result<ConfiguredMarket, Problem> => {
  const served = transferring(families).map(({ rules }) => rules.name)
  const others = configured.chains.filter(({ family }) => !served.includes(family.name)).map(({ slug }) => slug)
  return others.length > 0
    ? Result.fail(
      new Problem({
        message: `this version transfers on ${served.join(", ")} only: leave ${others.join(", ")} out with CHAINS`
      })
    )
    : Result.succeed(configured)
}

/** Their settings for the served chains. For no chain while the configuration cannot be read. */
export const readFamilies = Effect.fnUntraced(function*(
  families: ReadonlyArray<ChainFamily>,
  configured: Result.Result<ConfiguredMarket, Problem>
) {
  const chains = Result.isSuccess(configured) ? configured.success.chains : []
  const values = yield* Effect.all({
    observing: readSettings(transferring(families), ({ observe }) => observe, chains),
    transferring: readSettings(transferring(families), ({ transfer }) => transfer, chains)
  }, { mode: "result" })
  yield* refuseWrong(values)
  return yield* Effect.fromResult(Result.all(values))
})
