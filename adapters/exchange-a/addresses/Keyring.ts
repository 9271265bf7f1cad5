/** The port `DepositKeyring` on exchange A: addresses of derived keys, in processes with the seed. */
import { Effect, Layer } from "effect"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { exchangeA } from "../../../src/domain/families/exchange-a/Rules.ts"
import { SolverAccount } from "../pay/SolverAccount.ts"

export const layer = Layer.effect(
  DepositKeyring,
  Effect.map(SolverAccount, ({ depositAccount }) =>
    DepositKeyring.of({
      deriverOf: ({ name }) =>
        name !== exchangeA.name || depositAccount === undefined
          ? undefined
          : (place) => Effect.map(depositAccount(place), ({ account }) => account)
    }))
)
