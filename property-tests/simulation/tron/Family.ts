/** The Tron family of a simulated service: the real adapter, without late imports, which no virtual clock awaits. */
import { Effect, Layer, Redacted } from "effect"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import { withoutWithdrawals } from "../../../adapters/family/UnsupportedPorts.ts"
import { makeFacts } from "../../../adapters/quorum/index.ts"
import { localSecp256k1 } from "../../../adapters/signing/LocalSigner.ts"
import * as Signatures from "../../../adapters/signing/LocalSignatures.ts"
import * as Check from "../../../adapters/tron/Check.ts"
import { tron } from "../../../adapters/tron/Family.ts"
import * as Observer from "../../../adapters/tron/observe/Observer.ts"
import { openTron } from "../../../adapters/tron/rpc/TronNode.ts"
import * as TransferPorts from "../../../adapters/tron/TransferPorts.ts"
import { ChainFacts } from "../../../ports/chain/ChainFacts.ts"
import { LIFETIME_MINUTES, solverKey } from "./Terms.ts"

/** The configuration's check, over the same nodes. */
const check: typeof Check.check = {
  ...Check.check,
  open: (url) =>
    Effect.map(openTron(url), ({ jsonRpc }) => ({
      answers: (calls, deadline) =>
        Effect.mapError(
          Effect.map(jsonRpc(calls, deadline), (results) => results.map((result, at) => ({ id: at + 1, result }))),
          () => "refused" as const
        )
    }))
}

export const family: ChainFamily = {
  ...tron,
  observe: {
    variables: [],
    read: () =>
      Effect.succeed({
        warnings: [],
        observers: (of) =>
          Layer.merge(
            Layer.provide(Observer.layer, Layer.succeed(Observer.TronQuorums, { of })),
            withoutWithdrawals
          ),
        facts: (of) => Layer.effect(ChainFacts, makeFacts(check, of))
      })
  },
  transfer: {
    variables: [],
    read: () =>
      Effect.succeed({
        keys: [],
        ports: ({ endpoints, signers: { deposits } }) =>
          TransferPorts.layer(endpoints, {
            deposits,
            lifetimeMinutes: LIFETIME_MINUTES,
            solver: Effect.provide(localSecp256k1(Redacted.make(solverKey)), Signatures.layer)
          })
      })
  }
}
