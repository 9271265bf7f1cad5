/**
 * `causeway webhooks listen`: receives the webhooks of an API key on this machine, prints them, and hands them on to an
 * app under development. Makes a webhook of its own and removes it at the end; with WEBHOOK_SECRET it only listens.
 */
import { Console, Effect, Option, Queue } from "effect"
import { Command, Flag } from "effect/cli"
import { readText } from "../../../configuration/Variables.ts"
import { Json, maybe, teller, wrongUsage } from "../../Program.ts"
import { asked, neededKey, reader, Url } from "../Service.ts"
import { eventIn, eventText } from "./EventText.ts"
import { listenOn } from "./Listener.ts"
import type { Heard } from "./Listener.ts"

const flags = {
  "forward-to": maybe(
    "forward-to",
    "an address that each webhook is handed on to, such as http://localhost:8080/hooks"
  ),
  port: Flag.Int("port").pipe(Flag.withDescription("where it listens; any free one unless given"), Flag.withDefault(0)),
  "public-url": maybe(
    "public-url",
    "where the service reaches this listener, such as a tunnel's https address; a service with ENVIRONMENT=local reaches the loopback itself"
  ),
  count: Flag.Int("count").pipe(Flag.withDescription("end after so many webhooks"), Flag.optional)
} as const

/** The webhook that the service sends here, until the scope closes. */
const registered = Effect.fnUntraced(function*(url: string) {
  yield* neededKey
  const client = yield* reader
  const made = yield* Effect.acquireRelease(
    asked((signal) => client.call("POST /webhooks", { body: { url } }, { signal })),
    ({ id }) =>
      asked(() => client.call("DELETE /webhooks/:id", { params: { id } })).pipe(
        Effect.catch(({ message }) => Console.error(`the webhook ${id} is still there: ${message}`))
      )
  )
  return made
})

const tellHeard = Effect.fnUntraced(function*(heard: Heard, isForwarding: boolean) {
  if (heard._tag === "Refused") {
    yield* Console.error(`refused: ${heard.reason}`)
    return false
  }
  const event = eventIn(heard.body)
  const answered = isForwarding ? heard.forwarded : undefined
  if (event === undefined) yield* Console.error("an event of another version of the service")
  else if (yield* Json) {
    yield* Console.log(JSON.stringify(isForwarding ? { ...event, forwarded: heard.forwarded } : event))
  } else yield* Console.log(eventText(event, answered))
  return true
})

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)

/** Prints until it is stopped, or `--count` is reached. */
export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function*({ count, "forward-to": forwardTo, port, "public-url": publicUrl }) {
    for (const [flag, url] of [["forward-to", forwardTo], ["public-url", publicUrl]] as const) {
      if (url !== undefined && !isWeb(url)) return yield* wrongUsage(`--${flag} ${url} is no web address`)
    }
    const say = yield* teller
    const heard = yield* Queue.unbounded<Heard>()
    const secret = Promise.withResolvers<string>()
    const bound = yield* listenOn({ port, forwardTo, secret: secret.promise, heard })
    const own = `http://127.0.0.1:${bound}/`
    const known = yield* readText("WEBHOOK_SECRET")
    if (known === undefined) {
      const made = yield* registered(publicUrl ?? own)
      secret.resolve(made.secret)
      say(`listening at ${own} for the webhook ${made.id}`)
      if (forwardTo !== undefined) say(`its secret, for the app: ${made.secret}`)
    } else {
      secret.resolve(known)
      say(`listening at ${own}`)
    }
    let left = Option.getOrElse(count, () => Infinity)
    while (left > 0) {
      const isGenuine = yield* tellHeard(yield* Queue.take(heard), forwardTo !== undefined)
      if (isGenuine) left -= 1
    }
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Receive the webhooks of the key in API_KEY here, check their signatures, print them, and hand them on. With --json one event a line"
  ),
  Command.withShortDescription("Receive webhooks here, check and print them, and hand them on"),
  Command.withExamples([{ command: "npx causeway webhooks listen --forward-to http://localhost:8080/hooks" }]),
  Command.withGlobalFlags([Url])
)
