/** `keys create`, `list`, `rotate`, `revoke`: the operator's commands. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiKeyId, ApiKeyLabel } from "../../../src/domain/api-key/ApiKey.ts"
import { KeyRow, NewKey, RevokedKey, RotatedKey } from "../endpoints/keys/KeysApi.ts"
import { answer } from "../../cli/Program.ts"
import { table } from "../../cli/Screen.ts"
import { done, say } from "./Output.ts"
import { call } from "./Service.ts"

export const id = Argument.String("id").pipe(
  Argument.withDescription("the key's id, key_…"),
  Argument.withSchema(ApiKeyId)
)

export const create = Command.make(
  "create",
  {
    label: Argument.String("label").pipe(
      Argument.withDescription("what its owner calls it"),
      Argument.withSchema(ApiKeyLabel)
    )
  },
  Effect.fnUntraced(function*({ label }) {
    const made = yield* call(NewKey, { method: "POST", path: "/api-keys", right: "operator", body: { label } })
    yield* say(`made ${made.id} (${made.label}); its text follows, this once:`)
    yield* answer(made, made.key)
  })
).pipe(
  Command.withDescription("Make a key. Its text goes to stdout, once; nobody can show it again"),
  Command.withExamples([{
    command: "KEY=$(npx causeway keys create \"my app\")",
    description: "Keep the text in a variable"
  }])
)

const List = Schema.Struct({ keys: Schema.Array(KeyRow) })

const stateOf = ({ revokedAt, rotatingUntil }: KeyRow, now: number): string => {
  if (revokedAt !== null) return `revoked ${revokedAt}`
  return rotatingUntil !== null && Date.parse(rotatingUntil) > now
    ? `valid, the text before until ${rotatingUntil}`
    : "valid"
}

export const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function*() {
    const { keys } = yield* call(List, { method: "GET", path: "/api-keys", right: "operator" })
    if (keys.length === 0) yield* say("there are no keys")
    const rows = keys.map((key) => [key.id, key.wallet ?? "-", stateOf(key, Date.now()), key.label])
    yield* answer({ keys }, table([["ID", "WALLET", "STATE", "LABEL"], ...rows]).join("\n"))
  })
).pipe(Command.withDescription("Show every key: never its text, which is not kept"))

export const rotate = Command.make(
  "rotate",
  {
    id,
    overlap: Flag.Int("overlap").pipe(
      Flag.withMetavar("seconds"),
      Flag.withDescription("for how long the present text stays valid; a day unless given, 0 for one that leaked"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function*({ id, overlap }) {
    const body = Option.match(overlap, { onNone: () => ({}), onSome: (overlapSeconds) => ({ overlapSeconds }) })
    const rotated = yield* call(RotatedKey, { method: "POST", path: `/api-keys/${id}/rotate`, right: "operator", body })
    yield* say(
      `rotated ${id}; the text before is valid until\n${rotated.previousUntil}; the new one follows, this once:`
    )
    yield* answer(rotated, rotated.key)
  })
).pipe(Command.withDescription("Give a key a new text; id, wallet and budgets stay"))

export const revoke = Command.make(
  "revoke",
  { id },
  Effect.fnUntraced(function*({ id }) {
    const revoked = yield* call(RevokedKey, { method: "DELETE", path: `/api-keys/${id}`, right: "operator" })
    yield* done(revoked, `${id} is revoked since ${revoked.revokedAt}: every process refuses it`)
  })
).pipe(Command.withDescription("Revoke a key, at once and for ever"))
