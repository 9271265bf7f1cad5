/**
 * The transfer service that a command asks, and what it brings to be let in.
 *
 * SECURITY: tokens and keys come from the environment or a file, never from the command line, which other users of a
 * machine can read and shells record. They are in no message.
 */
import { Effect, Option, Schema } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readText } from "../../configuration/Variables.ts"
import { createClient } from "../../transfer/client/Client.ts"
import type { ClientOptions } from "../../transfer/client/Client.ts"
import { ClientError } from "../../transfer/client/ClientError.ts"
import { ProgramFailed, wrongUsage } from "../Program.ts"

/** Of every command that asks the transfer service. */
export const Url = GlobalFlag.Setting("url")({
  flag: Flag.String("url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("the transfer service; TRANSFER_URL unless given, or the local network that runs here"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )
})

const DEFAULT_URL = "http://127.0.0.1:3001"

const LocalNetwork = Schema.fromJsonString(Schema.Struct({ transferUrl: Schema.String }))
const decodeLocalNetwork = Schema.decodeUnknownOption(LocalNetwork)

/** The service of the local network that runs in this folder. A file there names no service of another machine. */
const localUrl = (): string | undefined => {
  try {
    const found = decodeLocalNetwork(readFileSync(join(process.cwd(), ".causeway/localnet.json"), "utf8"))
    const url = Option.getOrUndefined(found)?.transferUrl
    return url !== undefined && /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?$/u.test(url) ? url : undefined
  } catch {
    return undefined
  }
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)

/** The service's address without a slash at its end: `--url`, TRANSFER_URL, the local network's, the default. */
export const serviceUrl = Effect.gen(function*() {
  const asked = yield* Url
  if (asked !== undefined && !isWeb(asked)) return yield* wrongUsage(`--url ${asked} is no web address`)
  const variable = yield* readText("TRANSFER_URL")
  if (variable !== undefined && !isWeb(variable)) {
    return yield* new ProgramFailed({ reason: "not-configured", message: "TRANSFER_URL is no URL" })
  }
  return (asked ?? variable ?? localUrl() ?? DEFAULT_URL).replace(/\/+$/u, "")
})

/** A variable that a command requires. */
export const needed = Effect.fnUntraced(function*(name: string, what: string) {
  const text = yield* readText(name)
  return text ?? (yield* new ProgramFailed({ message: `${name} is not set: ${what}`, reason: "not-configured" }))
})

/** The text of the caller's API key. */
export const neededKey = needed("API_KEY", "the text of the API key")

/** A client of the service, with the key in API_KEY if there is one. */
export const clientOf = Effect.fnUntraced(function*(verify: ClientOptions["verify"]) {
  const url = yield* serviceUrl
  return createClient({ url, verify, apiKey: yield* readText("API_KEY") })
})

/** A client for questions whose answers nobody pays by. */
export const reader = clientOf("trust the service")

/** The reasons of failures, by the kinds that a client tells. */
const reasons: Readonly<Record<ClientError["kind"], string>> = {
  refused: "refused",
  unavailable: "no-answer",
  unreachable: "no-answer",
  unverified: "unverified",
  wallet: "wallet",
  paid: "paid"
}

const failureOf = (error: unknown): ProgramFailed => {
  if (!(error instanceof ClientError)) {
    return new ProgramFailed({ reason: "failed", message: error instanceof Error ? error.message : String(error) })
  }
  const field = error.field === undefined ? "" : ` (${error.field})`
  return new ProgramFailed({ reason: reasons[error.kind], message: `${error.message}${field}` })
}

/** What a client promises. A rejection becomes a failure with its reason. */
export const asked = <A>(act: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, ProgramFailed> =>
  Effect.tryPromise({ try: act, catch: failureOf })
