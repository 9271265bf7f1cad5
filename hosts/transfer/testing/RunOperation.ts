/**
 * An operator's command within the test's process, from environment variables alone: its exit code and its output.
 * `hosts/cli/Programs.local.test.ts` starts each command as a process.
 */
import { Console, Effect, Layer, Metric, Schema } from "effect"
import { exitCodeOf } from "../../cli/Program.ts"
import { ProgramEnvironment } from "../operations/Operation.ts"
import { backup, doctor, restore } from "../operations/Programs.ts"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

type Run = (args: ReadonlyArray<string>) => Effect.Effect<number>

const programs: Readonly<Record<"backup" | "doctor" | "restore", Run>> = {
  backup: (args) => exitCodeOf(backup, args),
  doctor: (args) => exitCodeOf(doctor, args),
  restore: (args) => exitCodeOf(restore, args)
}

export const runOperation = Effect.fnUntraced(function*(
  name: keyof typeof programs,
  environment: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
) {
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
  const code = yield* programs[name](args).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provideService(ProgramEnvironment, environment),
    // It shares nothing with the test's hosts, as a process does not.
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap)
  )
  return { code, out, error } satisfies Ran
})

/** `doctor --json`, once every chain could be read: on a busy machine an endpoint answers too late at times. */
export const runDoctor = (environment: Readonly<Record<string, string>>) =>
  Effect.repeat(runOperation("doctor", environment, "--json"), {
    until: ({ out }) => !out.includes(`"verdict":"unread"`)
  })

const decodeFindings = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  findings: Schema.Array(Schema.Struct({ kind: Schema.String, chain: Schema.optionalKey(Schema.String) }))
})))

/** What `doctor --json` has found: the kind of each difference, and the chain. */
export const findingsOf = ({ out }: Ran) =>
  decodeFindings(out).findings.map(({ chain, kind }) => [kind, chain] as const)
