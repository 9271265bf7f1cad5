/** The port `DepositKeyring`: deposit addresses are accounts of derived keys, in processes with the seed. */
import { Effect, Layer } from "effect"
import { DepositKeyring } from "causeway-kit/ports"
import { ledgerRules } from "../rules/LedgerRules.ts"
import { Solver } from "./Solver.ts"

export const layer = Layer.effect(
  DepositKeyring,
  Effect.map(Solver, ({ depositAccount }) =>
    DepositKeyring.of({
      deriverOf: ({ name }) =>
        name !== ledgerRules.name || depositAccount === undefined
          ? undefined
          : (place) => Effect.map(depositAccount(place), ({ account }) => account)
    }))
)
