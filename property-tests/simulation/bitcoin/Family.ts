/** The Bitcoin family of a simulated service: the real adapter, without late imports, which no virtual clock awaits. */
import { Duration, Effect, Layer, Redacted } from "effect"
import { bitcoin } from "../../../adapters/bitcoin/Family.ts"
import * as Check from "../../../adapters/bitcoin/Check.ts"
import * as Observer from "../../../adapters/bitcoin/observe/Observer.ts"
import * as TransferPorts from "../../../adapters/bitcoin/TransferPorts.ts"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import { withoutWithdrawals } from "../../../adapters/family/UnsupportedPorts.ts"
import { makeFacts } from "../../../adapters/quorum/index.ts"
import { localSecp256k1 } from "../../../adapters/signing/LocalSigner.ts"
import * as Signatures from "../../../adapters/signing/LocalSignatures.ts"
import { ChainFacts } from "../../../ports/chain/ChainFacts.ts"
import { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { NETWORK, solverKey } from "./Terms.ts"

const explorer = { url: Redacted.make("http://explorer.bitcoin/"), access: { _tag: "Open" } } as const

/** As `adapters/bitcoin/Variables.ts` defines them. */
const rates = { ceiling: FeeRate(500_000n), targetBlocks: 3, agreeWithin: 4n, keptFor: Duration.seconds(10) }

export const family: ChainFamily = {
  ...bitcoin,
  observe: {
    variables: [],
    read: () =>
      Effect.succeed({
        warnings: [],
        observers: (of) =>
          Layer.merge(
            Layer.provide(Observer.layer, Layer.succeed(Observer.BitcoinQuorums, { of, explorer })),
            withoutWithdrawals
          ),
        facts: (of) => Layer.effect(ChainFacts, makeFacts(Check.check, of))
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
            explorer,
            network: NETWORK,
            rates,
            solver: Effect.provide(localSecp256k1(Redacted.make(solverKey)), Signatures.layer)
          })
      })
  }
}
