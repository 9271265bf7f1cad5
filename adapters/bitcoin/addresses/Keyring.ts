/** The port `DepositKeyring` on Bitcoin: P2WPKH addresses of derived keys, in processes with the seed. */
import { Effect, Layer } from "effect"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import type { ChainNetwork } from "../../../src/domain/chain/ChainNetwork.ts"
import { bitcoin } from "../../../src/domain/families/bitcoin/Rules.ts"
import { addressOn, SolverAccount } from "../pay/SolverAccount.ts"

/** `network`: of the one chain that is served, which its addresses belong to. */
export const layer = (network: ChainNetwork) =>
  Layer.effect(
    DepositKeyring,
    Effect.map(SolverAccount, ({ depositAccount }) =>
      DepositKeyring.of({
        deriverOf: ({ name }) =>
          name !== bitcoin.name || depositAccount === undefined
            ? undefined
            : (place) => Effect.map(depositAccount(place), (account) => addressOn(account, { network }))
      }))
  )
