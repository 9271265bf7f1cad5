/**
 * `causeway status <request>`: the state of a request now, from `GET /intents/status`. Without a request, a checkout
 * shows its local network (HandOver.ts).
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { answer } from "../Program.ts"
import { table } from "../Screen.ts"
import type { IntentStatus } from "../../transfer/client/Track.ts"
import { asked, reader, Url } from "./Service.ts"

/** The state, the transactions and why it failed, if it did. */
export const statusText = (id: string, { failReason, inTxHashes, refundFailReason, status, txHashes }: IntentStatus) =>
  table([
    ["request", id],
    ["status", status],
    ...inTxHashes.map((hash) => ["deposit", hash]),
    ...txHashes.map((hash) => ["payment", hash]),
    ...failReason === "N/A" ? [] : [["failed", failReason]],
    ...refundFailReason === "N/A" ? [] : [["no refund", refundFailReason]]
  ]).join("\n")

/** Exit code 0 for every state: `follow` tells by its code how a request ended. */
export const status = Command.make(
  "status",
  {
    request: Argument.String("request").pipe(
      Argument.withDescription("its id: 0x and 64 hex digits"),
      Argument.withSchema(RequestId)
    )
  },
  Effect.fnUntraced(function*({ request }) {
    const client = yield* reader
    const found = yield* asked((signal) =>
      client.call("GET /intents/status", { query: { requestId: request } }, { signal })
    )
    yield* answer({ requestId: request, ...found }, statusText(request, found))
  })
).pipe(
  Command.withDescription("Show the state of a request now; in a checkout without one, what of the local network runs"),
  Command.withGlobalFlags([Url])
)
