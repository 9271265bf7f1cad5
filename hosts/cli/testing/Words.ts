/** Parses words with a program's flags, as its handler gets them. Throws the library's refusal. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliOutput, Command } from "effect/cli"

export const valuesOf = <const Config extends Command.Command.Config>(
  flags: Config,
  words: ReadonlyArray<string>
): Command.Command.Config.Infer<Config> => {
  const got: Array<Command.Command.Config.Infer<Config>> = []
  const command = Command.make("test", flags, (values) => Effect.sync(() => void got.push(values)))
  Effect.runSync(
    Command.runWith(command, { version: "0" })(words).pipe(
      Effect.provideService(CliOutput.Presenter, { present: () => Effect.void }),
      Effect.provide(NodeServices.layer)
    )
  )
  const [values] = got
  if (values === undefined) throw new Error("no values")
  return values
}
