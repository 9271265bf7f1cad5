/** The port `DepositKeyring` on Tron: addresses of derived keys, in processes with the seed. */
import { Effect, Layer } from "effect"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { tron } from "../../../src/domain/families/tron/Rules.ts"
import { SolverAccount } from "../pay/SolverAccount.ts"

export const layer = Layer.effect(
  DepositKeyring,
  Effect.map(SolverAccount, ({ depositAccount }) =>
    DepositKeyring.of({
      deriverOf: ({ name }) =>
        name !== tron.name || depositAccount === undefined
          ? undefined
          : (place) => Effect.map(depositAccount(place), ({ address }) => address)
    }))
)
