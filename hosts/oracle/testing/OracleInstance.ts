/**
 * An oracle within the test's process, from environment variables alone: quicker than a process, otherwise the same.
 */
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { layerOracleHost } from "../OracleHost.ts"

export interface OracleInstance {
  readonly url: string
  /** What it has logged, line by line. */
  readonly log: () => ReadonlyArray<string>
}

/** Listens when this returns; ends with the scope. Dies of what a process would end for. */
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
