/** The Tron family as a value. Its adapters are loaded on first use. */
import { Effect, Layer, Result } from "effect"
import { tron as rules } from "../../src/domain/families/tron/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { anyFinality } from "../family/EntryRules.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { Problem } from "../family/Variables.ts"
import { readTransfer, solverKey, transferVariables } from "./Variables.ts"

/** A chain's number identifies it: it is the end of the first block's id. An entry may name the whole id. */
const genesis: ChainFamily["entries"]["genesis"] = (named) =>
  named === undefined || /^[0-9a-f]{64}$/.test(named)
    ? Result.succeed(named)
    : Result.fail("genesisHash is not 64 hex digits")

export const tron: ChainFamily = {
  rules,
  title: "Tron",
  entries: {
    // Solidified blocks.
    finality: { _tag: "Tag", tag: "finalized", seconds: 60 },
    refuseFinality: anyFinality,
    genesis,
    parts: [],
    swapSources: []
  },
  observe: {
    variables: [],
    read: () =>
      Effect.succeed({
        warnings: [],
        observers: (endpoints) =>
          loaded(async () => {
            const [Observer, Withdrawals] = await Promise.all([
              import("./observe/Observer.ts"),
              import("./observe/Withdrawals.ts")
            ])
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide(Layer.succeed(Observer.TronQuorums, { of: endpoints }))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check)
      })
  },
  transfer: {
    variables: transferVariables,
    read: Effect.fnUntraced(function*(chains) {
      const { key, lifetimeMinutes } = yield* readTransfer
      const [served] = chains
      if (served !== undefined && key === undefined) {
        return yield* new Problem({
          message: `${solverKey.name} is missing: ${served.slug} is served. It is ${solverKey.meaning}`
        })
      }
      return {
        keys: key === undefined ? [] : [key],
        ports: ({ endpoints, signers: { deposits } }) =>
          loaded(async () => {
            const [{ layer }, { localSecp256k1 }, Signatures] = await Promise.all([
              import("./TransferPorts.ts"),
              import("../signing/LocalSigner.ts"),
              import("../signing/LocalSignatures.ts")
            ])
            return key === undefined
              ? Layer.effectContext(Effect.die(new Error(`${solverKey.name} is missing`)))
              : layer(endpoints, {
                deposits,
                lifetimeMinutes,
                solver: Effect.provide(localSecp256k1(key), Signatures.layer)
              })
          })
      }
    })
  }
}
