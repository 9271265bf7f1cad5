/** Exchange A as a value. Its adapters are loaded on first use. */
import { Effect, Layer, Redacted, Result } from "effect"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"
import { exchangeA as rules } from "../../src/domain/families/exchange-a/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { exchangeEntries, exchangeLacks } from "../family/Exchanges.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { Problem } from "../family/Variables.ts"
import { companionVariables, hubUrl, readCompanions, readTransfer, solverKey, transferVariables } from "./Variables.ts"

export const exchangeA: ChainFamily = {
  rules,
  title: "exchange A",
  lacks: exchangeLacks,
  entries: exchangeEntries,
  observe: {
    variables: companionVariables,
    read: Effect.fnUntraced(function*(chains) {
      const { mappings, proxy } = yield* readCompanions
      const slugs = chains.map(({ slug }) => slug).join(", ")
      return {
        warnings: [],
        needsMappings: mappings === undefined && chains.length > 0
          ? `${hubUrl.name} is not set: ${slugs} cannot tell without it which order a transfer is for`
          : undefined,
        observers: (endpoints, own) =>
          loaded(async () => {
            const [HubMappings, Observer, Withdrawals, Signatures] = await Promise.all([
              import("./observe/HubMappings.ts"),
              import("./observe/Observer.ts"),
              import("./observe/Withdrawals.ts"),
              import("../signing/LocalSignatures.ts")
            ])
            const kept = own !== undefined
              ? HubMappings.stored(own)
              : mappings === undefined
              ? HubMappings.none
              : HubMappings.layer(mappings)
            const asked = { of: endpoints, ...(proxy === undefined ? {} : { proxy }) }
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide([Layer.succeed(Observer.ExchangeAQuorums, asked), kept, Signatures.layer])
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check)
      }
    })
  },
  transfer: {
    variables: transferVariables,
    read: Effect.fnUntraced(function*(chains) {
      const { key, weightPerMinute } = yield* readTransfer
      const [served] = chains
      if (served !== undefined && key === undefined) {
        return yield* new Problem({
          message: `${solverKey.name} is missing: ${served.slug} is served. It is ${solverKey.meaning}`
        })
      }
      return {
        keys: key === undefined ? [] : [key],
        solver: key === undefined
          ? undefined
          : Result.getOrUndefined(accountOfKey(Redacted.value(key))),
        ports: ({ endpoints, signers: { deposits } }) =>
          loaded(async () => {
            const [{ layer }, { localSecp256k1 }, Signatures] = await Promise.all([
              import("./TransferPorts.ts"),
              import("../signing/LocalSigner.ts"),
              import("../signing/LocalSignatures.ts")
            ])
            return key === undefined
              ? Layer.effectContext(Effect.die(new Error(`${solverKey.name} is missing`)))
              : layer({ ...endpoints, weightPerMinute }, {
                deposits,
                solver: Effect.provide(localSecp256k1(key), Signatures.layer)
              })
          })
      }
    })
  }
}
