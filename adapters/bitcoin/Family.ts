/** The Bitcoin family as a value. Its adapters are loaded on first use. */
import { Effect, Layer, Result } from "effect"
import { bitcoinPrefixes } from "../../src/domain/families/bitcoin/BitcoinPrefixes.ts"
import { bitcoin as rules } from "../../src/domain/families/bitcoin/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { Problem } from "../family/Variables.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import {
  explorerUrl,
  explorerVariables,
  readExplorer,
  readTransfer,
  solverKey,
  transferVariables
} from "./Variables.ts"

/** The first block tells chains of one network's addresses apart. */
const genesis: ChainFamily["entries"]["genesis"] = (named, network) => {
  const hash = named ?? bitcoinPrefixes[network].genesis
  return /^[0-9a-f]{64}$/.test(hash) ? Result.succeed(hash) : Result.fail("genesisHash is not 64 hex digits")
}

type TransferSettings = Effect.Success<typeof readTransfer>

/** What a service lacks that serves such a chain. One explorer shows one chain. */
const missing = (
  [served, ...others]: ReadonlyArray<Chain>,
  { explorer, key }: Pick<TransferSettings, "explorer" | "key">
): ReadonlyArray<string> => {
  if (served === undefined) return []
  return [
    ...(key === undefined
      ? [`${solverKey.name} is missing: ${served.slug} is served. It is ${solverKey.meaning}`]
      : []),
    ...(explorer === undefined
      ? [`${explorerUrl.name} is missing: ${served.slug} is served, whose coins it lists`]
      : []),
    ...others.map(({ slug }) => `leave ${slug} out with CHAINS: ${explorerUrl.name} is the explorer of ${served.slug}`)
  ]
}

export const bitcoin: ChainFamily = {
  rules,
  title: "Bitcoin",
  lacks: { calls: "a transaction calls nothing: an order with calls is refused" },
  entries: {
    finality: { _tag: "Depth", blocks: 6, seconds: 0 },
    // Depth alone decides finality, because miners choose the block times.
    refuseFinality: (rule) =>
      rule._tag === "Depth" && rule.seconds === 0
        ? undefined
        : "finality must be a number of blocks, with 0 seconds, on Bitcoin",
    genesis,
    parts: ["checkpoint"],
    swapSources: []
  },
  observe: {
    variables: explorerVariables,
    read: (chains) =>
      Effect.map(readExplorer, (explorer) => ({
        warnings: explorer === undefined && chains.length > 0
          ? [
            `no explorer (${explorerUrl.name}): no withdrawal is attested on ${
              chains.map(({ slug }) => slug).join(", ")
            }`
          ]
          : [],
        observers: (endpoints) =>
          loaded(async () => {
            const [Observer, Withdrawals] = await Promise.all([
              import("./observe/Observer.ts"),
              import("./observe/Withdrawals.ts")
            ])
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide(Layer.succeed(Observer.BitcoinQuorums, { of: endpoints, explorer }))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check)
      }))
  },
  transfer: {
    variables: transferVariables,
    read: Effect.fnUntraced(function*(chains) {
      const { explorer, key, rates } = yield* readTransfer
      const problems = missing(chains, { explorer, key })
      if (problems.length > 0) return yield* new Problem({ message: problems.join("\n  - ") })
      return {
        keys: key === undefined ? [] : [key],
        ports: ({ endpoints, signers: { deposits } }) =>
          loaded(async () => {
            const [{ layer }, { localSecp256k1 }, Signatures] = await Promise.all([
              import("./TransferPorts.ts"),
              import("../signing/LocalSigner.ts"),
              import("../signing/LocalSignatures.ts")
            ])
            const [served] = chains
            return explorer === undefined || key === undefined || served === undefined
              ? Layer.effectContext(Effect.die(new Error(`${solverKey.name} or ${explorerUrl.name} is missing`)))
              : layer(endpoints, {
                deposits,
                explorer,
                network: served.network,
                rates,
                solver: Effect.provide(localSecp256k1(key), Signatures.layer)
              })
          })
      }
    })
  }
}
