/**
 * A host within the test's process, from environment variables alone: a third of the cost of a process, otherwise the
 * same. For tests that neither kill the host nor look at its process (`HostProcess.ts`).
 */
import { Effect, Exit, Fiber, Logger, Metric } from "effect"
import { ConfigsFolder } from "../../configuration/ConfigsFolder.ts"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import { Families, families } from "../../families.ts"
import { explanationOf, launch } from "../../http/RunHost.ts"
import { lineOf } from "../../observability/JsonLines.ts"
import { oracleVariablesOf } from "../../oracle/config/Environment.ts"
import { layerOracleHost } from "../../oracle/OracleHost.ts"
import { variablesOf } from "../config/Environment.ts"
import { layerTransferHost } from "../TransferHost.ts"
import { NOBODY } from "./HostProcess.ts"
import { untilAnswers } from "./UntilAnswers.ts"

export interface HostInstance {
  readonly url: string
  /** Everything logged so far, as a process writes it to stdout. */
  readonly output: () => string
  /** Shuts it down as a signal does. Closing the scope does the same. */
  readonly stop: Effect.Effect<void>
}

type Settings = Readonly<Record<string, string>>

const hosts = {
  transfer: { layer: layerTransferHost, variables: variablesOf, port: "TRANSFER_PORT", path: "/ready" },
  oracle: { layer: layerOracleHost, variables: oracleVariablesOf, port: "HTTP_PORT", path: "/lives/v1" }
} as const

const ours = ConfigsFolder.defaultValue()

const start = Effect.fnUntraced(function*(
  name: keyof typeof hosts,
  settings: Settings,
  configs: URL = ours,
  served: ReadonlyArray<ChainFamily> = families
) {
  const { layer, path, port, variables } = hosts[name]
  let output = ""
  const logger = Logger.make((options) => {
    output += `${lineOf(options)}\n`
  })
  const running = yield* launch({ name, layer, variables: variables(served) }, { HUB_ALLOCATOR: NOBODY, ...settings })
    .pipe(
      Effect.provide(Logger.layer([logger])),
      // As a process has its own.
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(ConfigsFolder, configs),
      Effect.provideService(Families, served),
      Effect.forkScoped
    )
  const url = `http://127.0.0.1:${settings[port]}`
  const gone = Effect.flatMap(Fiber.await(running), (exit) =>
    Effect.die(
      new Error(`the host ended: ${Exit.isFailure(exit) ? explanationOf(name, exit.cause) : ""}\n${output}`)
    ))
  yield* Effect.raceFirst(untilAnswers(`${url}${path}`), gone)
  return { url, output: () => output, stop: Fiber.interrupt(running) } satisfies HostInstance
})

/**
 * Starts the transfer service and waits until it is ready. If it ends instead, fails with its output. `configs`: the
 * environments' files. `served`: all families that it knows.
 */
export const startTransferInstance = (settings: Settings, configs?: URL, served?: ReadonlyArray<ChainFamily>) =>
  start("transfer", settings, configs, served)

/** Starts the oracle and waits until it listens, which needs no reachable chain. */
export const startOracleInstance = (settings: Settings, configs?: URL, served?: ReadonlyArray<ChainFamily>) =>
  start("oracle", settings, configs, served)
