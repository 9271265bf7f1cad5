/** Exchange B as a value. Its adapters are loaded on first use. */
import { Effect, Layer } from "effect"
import { asAddress } from "../../src/domain/families/AddressCodec.ts"
import { lighterChainIdOf } from "../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { exchangeB as rules } from "../../src/domain/families/exchange-b/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { exchangeEntries, exchangeLacks } from "../family/Exchanges.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { Problem, readOptional } from "../family/Variables.ts"
import { endpointKey, readTransfer, transferVariables } from "./Variables.ts"

export const exchangeB: ChainFamily = {
  rules,
  title: "exchange B",
  lacks: exchangeLacks,
  entries: exchangeEntries,
  observe: {
    variables: [endpointKey],
    read: () =>
      Effect.map(readOptional(endpointKey), (key) => ({
        warnings: [],
        observers: (endpoints) =>
          loaded(async () => {
            // Not the index, which has code that pays, too.
            const [Observer, Withdrawals] = await Promise.all([
              import("./observe/Observer.ts"),
              import("./observe/Withdrawals.ts")
            ])
            const asked = { of: endpoints, ...(key === undefined ? {} : { key }) }
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide(Layer.succeed(Observer.ExchangeBQuorums, asked))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).checkWith(key))
      }))
  },
  transfer: {
    variables: transferVariables,
    read: Effect.fnUntraced(function*(chains) {
      const [served] = chains
      const key = yield* readOptional(endpointKey)
      const settings = yield* readTransfer(served?.slug)
      // The API keys sign under the number of one network.
      const networks = new Set(chains.map(({ network }) => network))
      if (networks.size > 1) {
        return yield* new Problem({ message: `${chains.map(({ slug }) => slug).join(", ")} are of different networks` })
      }
      return {
        ...(settings === undefined ? {} : { solver: asAddress(settings.account.toString()) }),
        keys: settings === undefined
          ? []
          : [settings.key, ...settings.apiKeys.map(({ privateKey }) => privateKey)],
        ports: ({ endpoints }) =>
          loaded(async () => {
            const [{ layer }, { localSecp256k1 }, Signatures] = await Promise.all([
              import("./TransferPorts.ts"),
              import("../signing/LocalSigner.ts"),
              import("../signing/LocalSignatures.ts")
            ])
            if (settings === undefined || served === undefined) {
              return Layer.effectContext(Effect.die(new Error("no chain of exchange B is served")))
            }
            const { account, allowance, apiKeys, token, transferFee } = settings
            return layer(
              { ...endpoints, allowance, ...(key === undefined ? {} : { key }) },
              { token, transferFee },
              {
                owner: Effect.provide(localSecp256k1(settings.key), Signatures.layer),
                rollup: { account, apiKeys, lighterChainId: Number(lighterChainIdOf(served.network)) }
              }
            )
          })
      }
    })
  }
}
