/** Nodes of local chains behind a process that counts what is asked of them (`FrontNode.ts`). */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"

export interface AskedOfNodes {
  /** HTTP requests. */
  readonly requests: number
  /** Requests by the methods that they call together, the most frequent first. */
  readonly calls: ReadonlyArray<readonly [methods: string, requests: number]>
}

const decodeCounts = Schema.decodeUnknownPromise(
  Schema.Struct({ requests: Schema.Int, calls: Schema.Array(Schema.Tuple([Schema.String, Schema.Int])) })
)

const started = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly end: () => void }>((resume) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "FrontNode.ts")], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    child.on("exit", (code) => resume(Effect.die(new Error(`FrontNode.ts ended with ${code}`))))
    child.stdout.on("data", (chunk: Buffer) => {
      const port = Number(/listening on (\d+)/.exec(chunk.toString())?.[1] ?? 0)
      if (port > 0) resume(Effect.succeed({ port, end: () => child.removeAllListeners("exit").kill() }))
    })
  }),
  ({ end }) => Effect.sync(end)
)

export const countedNodes = Effect.map(started, ({ port }) => {
  const root = `http://127.0.0.1:${port}`
  return {
    /** The node, as the chain that it is. */
    urlOf: (node: { readonly port: number }) => `${root}/${node.port}`,
    /** The node, as a chain of another id and with blocks so many milliseconds apart. */
    copyOf: (node: { readonly port: number }, chainId: number, blockTimeMs: number) =>
      `${root}/${node.port}/${chainId}/${blockTimeMs}`,
    /** What was asked since the last call. */
    take: Effect.promise(async (): Promise<AskedOfNodes> => {
      const { calls, requests } = await decodeCounts(await (await fetch(root)).json())
      return { requests, calls: calls.toSorted(([, one], [, other]) => other - one) }
    })
  }
})
