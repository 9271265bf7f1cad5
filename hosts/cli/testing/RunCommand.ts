/** `causeway` within the test's process, with an environment of the test: its exit code and its output. */
import { ConfigProvider, Console, Effect } from "effect"
import { causeway } from "../command/Causeway.ts"
import { exitCodeOf } from "../Program.ts"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

export const runCommand = Effect.fnUntraced(
  function*(words: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) {
    let out = ""
    let error = ""
    const console: Console.Console = {
      ...globalThis.console,
      log: (text: unknown) => {
        out += `${String(text)}\n`
      },
      error: (text: unknown) => {
        error += `${String(text)}\n`
      }
    }
    const code = yield* exitCodeOf(causeway, words).pipe(
      Effect.provideService(Console.Console, console),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
    )
    return { code, out, error } satisfies Ran
  }
)
