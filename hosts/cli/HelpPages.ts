/** The help of a command and of all its subcommands, for the page of the documents. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliConfig, CliOutput, Command } from "effect/cli"
import type { HelpDoc } from "effect/cli"
import { builtIns, Json, VERSION } from "./Program.ts"
import type { Program } from "./Program.ts"

/** The help of one command. */
export interface HelpPage {
  /** `causeway keys list`. */
  readonly path: string
  readonly doc: HelpDoc.HelpDoc
}

/** A command first, then its subcommands in their order. */
export const helpPages = <Name extends string, Input, ContextInput, E>(
  command: Program<Name, Input, ContextInput, E>
): ReadonlyArray<HelpPage> => {
  const pages: Array<HelpPage> = []
  const run = Command.runWith(Command.withGlobalFlags(command, [Json]), { version: VERSION })
  const collect = (each: Command.Command.Any, names: ReadonlyArray<string>): void => {
    const present: CliOutput.Presenter["present"] = (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") pages.push({ path: names.join(" "), doc: event.helpDoc })
      })
    Effect.runSync(
      run([...names.slice(1), "--help"]).pipe(
        Effect.orDie,
        Effect.provideService(CliOutput.Presenter, { present }),
        Effect.provideService(CliConfig.CliConfig, { builtIns }),
        Effect.provide(NodeServices.layer)
      )
    )
    for (const child of each.subcommands.flatMap(({ commands }) => [...commands])) {
      collect(child, [...names, child.name])
    }
  }
  collect(command, [command.name])
  return pages
}
