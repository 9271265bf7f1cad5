/** One network with a chain of every family, one hub and one oracle; a host over it settles what it pays. */
import { Effect } from "effect"
import { families as known } from "../../../families.ts"
import { startOracleInstance, startTransferInstance } from "../HostInstance.ts"
import { addKeys } from "../Keys.ts"
import { MAPPINGS_KEY } from "../ExchangeANetwork.ts"
import { settlingOver } from "../SettlingNetwork.ts"
import { hostsOver, startNetwork } from "../TransferNetwork.ts"
import type { MatrixChain, MatrixFamily } from "./MatrixFamily.ts"

/** The chains that each of the environments adds, after those of all. */
const chainsOf = (environments: ReadonlyArray<Readonly<Record<string, string>>>): string =>
  [
    ...new Set(environments.flatMap(({ CHAINS = "" }) => CHAINS === "" ? [] : CHAINS.split(",")))
  ].join(",")

/** The chain that has the family's pairs, and another one of the family. */
export interface StartedFamily extends Pick<MatrixFamily, "name" | "native"> {
  readonly chain: MatrixChain
  readonly second: MatrixChain | undefined
}

/** The families' networks, started at the same time. The store has the oracle's key for nonce mappings. */
export const startMatrix = Effect.fnUntraced(function*(families: ReadonlyArray<MatrixFamily>) {
  const evm = yield* startNetwork
  const networks = yield* Effect.forEach(
    families,
    (family) => Effect.map(family.start(evm), (network) => ({ family, network })),
    { concurrency: "unbounded" }
  )
  const environments = [evm.environment, ...networks.map(({ network: { environment } }) => environment)]
  const environment: Readonly<Record<string, string>> = {
    ...Object.fromEntries(environments.flatMap((each) => Object.entries(each))),
    CHAINS: chainsOf(environments)
  }
  yield* Effect.orDie(addKeys(evm.store, [MAPPINGS_KEY]))
  const started = networks.map((
    { family: { name, native }, network: { chains: [chain, ...further] } }
  ): StartedFamily => ({
    name,
    native,
    chain,
    second: further[0]
  }))
  const served = [...known, ...families.flatMap((each) => each.served ?? [])]
  const [configs] = networks.flatMap(({ network }) => network.configs ?? [])
  const network = {
    ...evm,
    environment,
    ...hostsOver(environment),
    startInstance: (changes: Readonly<Record<string, string>> = {}) =>
      startTransferInstance({ ...environment, ...changes }, configs, served)
  }
  const settling = yield* settlingOver(network, 1, 1, (settings) => startOracleInstance(settings, configs, served))
  return { ...settling, families: started }
})
