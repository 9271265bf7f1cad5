/** The port `DepositKeyring` on Solana: addresses of derived keys, in processes with the seed. */
import { addressCodec } from "../../../src/domain/families/index.ts"
import { Effect, Layer, Result } from "effect"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { SolverAccount } from "./SolverAccount.ts"

export const layer = Layer.effect(
  DepositKeyring,
  Effect.map(SolverAccount, ({ depositSigner }) =>
    DepositKeyring.of({
      deriverOf: (family) =>
        family.name !== "solana-vm" || depositSigner === undefined
          ? undefined
          : (place) =>
            Effect.map(
              depositSigner(place),
              ({ address }) => Result.getOrThrow(addressCodec("solana-vm").parse(address))
            )
    }))
)
