/** An oracle within the test's process, on a port of its own. */
import { Effect } from "effect"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { startOracleInstance } from "../../transfer/testing/HostInstance.ts"

export interface OracleInstance {
  readonly url: string
  /** The lines that it has logged. */
  readonly log: () => ReadonlyArray<string>
}

/** Listens when this returns, and ends with the scope. An error that would end a process is a defect here. */
export const startInstance = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const { output, url } = yield* startOracleInstance({ HTTP_PORT: `${yield* anyFree}`, ...environment })
  return { url, log: () => output().split("\n").filter((line) => line !== "") } satisfies OracleInstance
})
