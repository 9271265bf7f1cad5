/**
 * The Solana family as a value. Its adapters are loaded on first use: loading the code that builds transactions takes a
 * good part of a second, and an oracle never needs it.
 */
import { Effect, Layer, Result } from "effect"
import { solana as rules } from "../../src/domain/families/solana/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { usualFinality } from "../family/EntryRules.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { Problem } from "../family/Variables.ts"
import { hexOfKey, readSolana, seedOfKey, solanaVariables, solverKey } from "./Variables.ts"

/** The first block tells clusters apart. */
const genesis: ChainFamily["entries"]["genesis"] = (named) => {
  if (named === undefined) return Result.fail("additionalData lacks the genesisHash of its cluster")
  return Result.isFailure(rules.addresses("mainnet").parse(named))
    ? Result.fail("genesisHash is not base58 of 32 bytes")
    : Result.succeed(named)
}

export const solana: ChainFamily = {
  rules,
  title: "Solana",
  lacks: { calls: "there is no router: an order with calls is refused" },
  entries: {
    finality: usualFinality,
    // Everything is read at commitment finalized.
    refuseFinality: (rule) =>
      rule._tag === "Tag" && rule.tag === "finalized" ? undefined : "finality must be the tag finalized on Solana",
    genesis,
    parts: [],
    swapSources: ["jupiter"]
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
              Layer.provide(Layer.succeed(Observer.SolanaQuorums, { of: endpoints }))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check)
      })
  },
  transfer: {
    variables: solanaVariables,
    read: Effect.fnUntraced(function*([served]) {
      const { jupiter, key } = yield* readSolana
      if (served !== undefined && key === undefined) {
        return yield* new Problem({
          message: `${solverKey.name} is missing: ${served.slug} is served. It is ${solverKey.meaning}`
        })
      }
      return {
        keys: key === undefined ? [] : hexOfKey(key),
        ports: ({ endpoints, signers }) =>
          loaded(async () => {
            const [{ layer }, { localEd25519 }] = await Promise.all([
              import("./TransferPorts.ts"),
              import("../signing/LocalSigner.ts")
            ])
            const seed = key === undefined ? undefined : seedOfKey(key)
            return seed === undefined
              ? Layer.effectContext(Effect.die(new Error(`${solverKey.name} is missing`)))
              : layer(endpoints, signers, { jupiter, solver: localEd25519(seed) })
          })
      }
    })
  }
}
