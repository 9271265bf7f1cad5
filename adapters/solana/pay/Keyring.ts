/** The port `DepositKeyring` of Solana: addresses of derived keys, where their seed is. */
import { Effect, Layer, Result } from "effect"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { addressCodec } from "../../../src/domain/chain/Address.ts"
import { SolverAccount } from "./SolverAccount.ts"

export const layer = Layer.effect(
  DepositKeyring,
  Effect.map(SolverAccount, ({ depositSigner }) =>
    DepositKeyring.of({
      deriverOf: (family) =>
        family !== "solana-vm" || depositSigner === undefined
          ? undefined
          : (place) =>
            Effect.map(
              depositSigner(place),
              ({ address }) => Result.getOrThrow(addressCodec("solana-vm").parse(address))
            )
    }))
)
