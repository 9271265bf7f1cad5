/**
 * Runs a command-line program as the process: `causeway` of the package, or one of the local network's. All share
 * `--help`, `--json` and their exit codes: 0 done, 1 refused or failed with the name of a reason, 2 wrong usage.
 *
 * With `--json` stdout has one line: the result, or `{"error":{"reason":…,"message":…}}`; a command that listens writes
 * one line for each event. Without it results go to stdout, and failures to stderr with the command's name in front.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Data, Effect, Option } from "effect"
import { CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import { helpText, widthOf, wrapped } from "./Help.ts"
import * as Screen from "./Screen.ts"

const [FAILED, WRONG_USAGE] = [1, 2]

/** As in package.json. */
export const VERSION = "0.1.0"

/** The reason of a failure that was caused by wrong arguments. The program then exits with 2. */
export const USAGE = "usage"

/** `reason` is a name that scripts may depend on. */
export class ProgramFailed extends Data.TaggedError("ProgramFailed")<{
  readonly reason: string
  readonly message: string
  /** The result already says it: nothing more is written. */
  readonly told?: boolean
}> {}

export const wrongUsage = (message: string): ProgramFailed => new ProgramFailed({ reason: USAGE, message })

/** Whether the result is for a machine. Every program and subcommand takes the flag. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Write one line of JSON: the result, or the error with its reason"),
    Flag.withDefault(false)
  )
})

/** A result: JSON for machines, with amounts as decimal text, and `text` for people. */
export const answer = (value: unknown, text: string) =>
  Effect.flatMap(Json, (json) =>
    Console.log(
      json ? JSON.stringify(value, (_, each: unknown) => typeof each === "bigint" ? each.toString() : each) : text
    ))

/** The live output for people. With `--json` it is stderr, because stdout has the result. */
export const screen = Effect.map(Json, (json) => Screen.make(json ? process.stderr : process.stdout, process.env))

/** What is told on the way to a result. With `--json` it goes to stderr. Takes part in callbacks, so it is no effect. */
export const teller = Effect.gen(function*() {
  const [json, console] = [yield* Json, yield* Console.Console]
  return (text: string): void => json ? console.error(text) : console.log(text)
})

/** An optional flag. */
export const maybe = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** Tags that say no more than that there is an error have no better name than this. */
const UNNAMED = /^(?:LocalnetError|Problem)$/u

/** `StoreInUse` → `store-in-use`. */
const nameOf = (tag: string): string =>
  UNNAMED.test(tag) ? "failed" : tag.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, "-").toLowerCase()

const textIn = (error: unknown, member: string): string | undefined => {
  const value: unknown = typeof error === "object" && error !== null ? Reflect.get(error, member) : undefined
  return typeof value === "string" && value !== "" ? value : undefined
}

interface Failure {
  readonly reason: string
  readonly message: string
  readonly isTold: boolean
}

/** The failure in words for the user. */
const failureOf = (cause: Cause.Cause<unknown>): Failure => {
  const error: unknown = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return { reason: "defect", message: Cause.pretty(cause), isTold: false }
  if (CliError.isCliError(error)) {
    const message = error._tag === "ShowHelp" ? error.errors.map((each) => each.message).join("; ") : error.message
    return { reason: USAGE, message: message === "" ? "a command is missing" : message, isTold: false }
  }
  return {
    reason: textIn(error, "reason") ?? nameOf(textIn(error, "_tag") ?? "Failed"),
    message: textIn(error, "message") ?? Cause.pretty(cause),
    isTold: error instanceof ProgramFailed && error.told === true
  }
}

/** Help goes to stdout when it was requested. Otherwise the usage was wrong, and help is not a result. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "Version") return CliOutput.defaultPresenter.present(event)
    if (event._tag !== "Help" || event.reason !== "Requested") return Effect.void
    const { bold } = Screen.make(process.stdout, process.env)
    return Console.log(helpText(event.helpDoc, widthOf(process.stdout), bold))
  }
}

/** Flags of every program, before `--json`. */
export const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]

/** The program that the package installs. All others are scripts of a checkout. */
const INSTALLED = "causeway"

const childOf = (command: Command.Command.Any, name: string): Command.Command.Any | undefined =>
  command.subcommands.flatMap(({ commands }) => [...commands]).find((each) => each.name === name)

/** The program and the subcommands that the arguments name: `causeway keys list`. */
const pathOf = (command: Command.Command.Any, args: ReadonlyArray<string>): string => {
  const names: Array<string> = [command.name]
  let current = command
  for (const arg of args.filter((each) => !each.startsWith("-"))) {
    const child = childOf(current, arg)
    if (child === undefined) break
    names.push(child.name)
    current = child
  }
  return names.join(" ")
}

const helpOf = (path: string): string =>
  path.split(" ")[0] === INSTALLED ? `npx ${path} --help` : `npm run ${path} -- --help`

/** A command with all of its subcommands, as a process runs it. */
export type Program<Name extends string, Input, ContextInput, E> = Command.Command<
  Name,
  Input,
  ContextInput,
  E,
  Command.Environment | GlobalFlag.Setting.Identifier<"json">
>

/** Runs the command with these arguments. Results and failures go to the console; returns the exit code. */
export const exitCodeOf = <Name extends string, Input, ContextInput, E>(
  command: Program<Name, Input, ContextInput, E>,
  args: ReadonlyArray<string>
): Effect.Effect<number> => {
  const json = args.includes("--json")
  const path = pathOf(command, args)
  const told = ({ isTold, message, reason }: Failure) => {
    if (isTold) return Effect.void
    if (json) return Console.log(JSON.stringify({ error: { reason, message } }))
    const help = reason === USAGE ? `\n${helpOf(path)} shows the usage` : ""
    const text = `${path}: ${message}${help}`
    return Console.error(process.stderr.isTTY ? wrapped(text, widthOf(process.stderr)) : text)
  }
  return Command.runWith(Command.withGlobalFlags(command, [Json]), { version: VERSION })(args).pipe(
    Effect.as(0),
    Effect.catchCause((cause) => {
      const failure = failureOf(cause)
      return Effect.as(told(failure), failure.reason === USAGE ? WRONG_USAGE : FAILED)
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, { builtIns }),
    Effect.provide(NodeServices.layer)
  )
}

/** Runs the command as the process, with its arguments and its exit code. */
export const runProgram = <Name extends string, Input, ContextInput, E>(
  command: Program<Name, Input, ContextInput, E>
): void =>
  exitCodeOf(command, process.argv.slice(2)).pipe(
    Effect.flatMap((code) =>
      Effect.sync(() => {
        if (code !== 0) process.exitCode = code
      })
    ),
    NodeRuntime.runMain({ disableErrorReporting: true })
  )
