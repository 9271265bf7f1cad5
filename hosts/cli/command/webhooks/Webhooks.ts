/** `causeway webhooks`: the webhooks of an API key, their log, and what was sent again or is received here. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer } from "../../Program.ts"
import { table } from "../../Screen.ts"
import { asked, neededKey, reader, Url } from "../Service.ts"
import { listen } from "./Listen.ts"

/** A client with the key that every route here needs. */
const owner = Effect.andThen(neededKey, reader)

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function*() {
    const client = yield* owner
    const found = yield* asked((signal) => client.call("GET /webhooks", {}, { signal }))
    const rows = found.webhooks.map(({ createdAt, id, url }) => [id, createdAt.slice(0, 10), url])
    yield* answer(
      found,
      rows.length === 0 ? "the key has no webhooks" : table([["ID", "SINCE", "URL"], ...rows]).join("\n")
    )
  })
).pipe(Command.withDescription("Show the key's webhooks, without their secrets"), Command.withGlobalFlags([Url]))

const remove = Command.make(
  "remove",
  { id: Argument.String("id").pipe(Argument.withDescription("the webhook's id, wh_…")) },
  Effect.fnUntraced(function*({ id }) {
    const client = yield* owner
    const left = yield* asked((signal) => client.call("DELETE /webhooks/:id", { params: { id } }, { signal }))
    yield* answer(left, `${id} is removed`)
  })
).pipe(
  Command.withDescription("Remove a webhook with its log and its pending events"),
  Command.withGlobalFlags([Url])
)

const deliveries = Command.make(
  "deliveries",
  {
    limit: Flag.Int("limit").pipe(Flag.withDescription("how many, up to 50; 20 unless given"), Flag.optional)
  },
  Effect.fnUntraced(function*({ limit }) {
    const client = yield* owner
    const query = Option.match(limit, { onNone: () => ({}), onSome: (most) => ({ limit: `${most}` }) })
    const found = yield* asked((signal) => client.call("GET /webhooks/deliveries", { query }, { signal }))
    const rows = found.deliveries.map(({ createdAt, event, sequence, state, tries }) => [
      createdAt.slice(0, 19),
      state,
      `${tries.length}`,
      `${event} ${sequence}`
    ])
    // An id is nearly a line by itself: it follows its row.
    const [head, ...lines] = table([["AT", "STATE", "TRIES", "EVENT, SEQUENCE"], ...rows])
    const listed = lines.flatMap((line, index) => [line, `  ${found.deliveries[index]?.id ?? ""}`])
    yield* answer(found, rows.length === 0 ? "nothing was sent" : [head, ...listed].join("\n"))
  })
).pipe(
  Command.withDescription("Show what was sent to the key's webhooks in the last 30 days, newest first"),
  Command.withGlobalFlags([Url])
)

const replay = Command.make(
  "replay",
  { id: Argument.String("id").pipe(Argument.withDescription("the delivery's id, as deliveries shows it")) },
  Effect.fnUntraced(function*({ id }) {
    const client = yield* owner
    const again = yield* asked((signal) =>
      client.call("POST /webhooks/deliveries/:id/replay", { params: { id } }, { signal })
    )
    yield* answer(again, `${again.eventId} is sent again, as the delivery ${again.id}`)
  })
).pipe(
  Command.withDescription("Send an event once more, with the same id, sequence and body"),
  Command.withGlobalFlags([Url])
)

/** All of them need API_KEY. */
export const webhooks = Command.make("webhooks").pipe(
  Command.withShortDescription("Receive webhooks here, show and replay what was sent"),
  Command.withDescription("The webhooks of the key in API_KEY."),
  Command.withSubcommands([listen, list, deliveries, replay, remove])
)
