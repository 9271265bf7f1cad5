/** A throw-away Prometheus on the loopback. It ends with the scope, and with the process that started it. */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { get } from "../../../transfer/testing/Get.ts"
import { untilAnswers } from "../../../transfer/testing/UntilAnswers.ts"

/** Ends the server when the pipe to this process closes. */
const KEEPER = `
"$@" >/dev/null 2>&1 & pid=$!
cat >/dev/null
kill -9 $pid
`

const Answer = Schema.fromJsonString(Schema.Struct({
  status: Schema.Literal("success"),
  data: Schema.Struct({
    result: Schema.Array(
      Schema.Struct({
        metric: Schema.Record(Schema.String, Schema.String),
        value: Schema.Tuple([Schema.Number, Schema.String])
      })
    )
  })
}))

/** Starts the server with this configuration. `query` fails where Prometheus refuses the question. */
export const startPrometheus = Effect.fnUntraced(function*(program: string, configuration: string) {
  const port = yield* anyFree
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "causeway-prometheus-"))
      writeFileSync(join(folder, "prometheus.yml"), configuration)
      const child = spawn("/bin/sh", [
        "-c",
        KEEPER,
        "sh",
        program,
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`
      ], { stdio: ["pipe", "ignore", "ignore"] })
      return { child, folder }
    }),
    ({ child, folder }) =>
      Effect.callback<void>((resume) => {
        child.once("exit", () => {
          rmSync(folder, { recursive: true, force: true })
          resume(Effect.void)
        })
        child.stdin.end()
      })
  )
  const url = `http://127.0.0.1:${port}`
  yield* untilAnswers(`${url}/-/ready`)
  return {
    query: (expr: string) =>
      Effect.flatMap(
        get(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`),
        ({ text }) => Schema.decodeUnknownEffect(Answer)(text)
      ).pipe(Effect.map(({ data }) => data.result))
  }
})
