/**
 * An oracle within the test's process, configured by environment variables alone: faster than a process, otherwise the
 * same.
 */
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { layerOracleHost } from "../OracleHost.ts"

export interface OracleInstance {
  readonly url: string
  /** The lines that it has logged. */
  readonly log: () => ReadonlyArray<string>
}

/** Listens when this returns, and ends with the scope. An error that would end a process is a defect here. */
export const startInstance = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const port = yield* anyFree
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => {
    lines.push(String(message))
  })
  const host = Layer.fresh(layerOracleHost).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ HTTP_PORT: `${port}`, ...environment }))),
    Layer.provide(Logger.layer([logger]))
  )
  yield* Effect.orDie(Layer.build(host))
  return { url: `http://127.0.0.1:${port}`, log: () => lines } satisfies OracleInstance
})
