/**
 * API keys of the local transfer service, issued with the administrator's token, and requests with them. The oracle's
 * own key is for reading nonce mappings: it is made when it is first needed, and stored with the state.
 */
import { Effect, Option, Schema } from "effect"
import { readJson, write } from "../state/AtomicFile.ts"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"
import type { Keys } from "../state/Keys.ts"
import type { Paths } from "../state/Paths.ts"

/** The service's answer. A POST when there is a body. */
export const ask = <A, E>(
  url: string,
  schema: Schema.Codec<A, E>,
  headers: Readonly<Record<string, string>> = {},
  body?: object
) =>
  Effect.tryPromise({
    try: async (signal) => {
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      const response = await fetch(url, {
        ...sent,
        headers: { "content-type": "application/json", ...headers },
        signal
      })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 300)}`)
      return text
    },
    catch: (cause) => new LocalnetError({ message: `${new URL(url).pathname}: ${reasonOf(cause)}` })
  }).pipe(
    Effect.flatMap((text) =>
      Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text).pipe(
        Effect.mapError((error) => new LocalnetError({ message: `${new URL(url).pathname}: ${error.message}` }))
      )
    )
  )

/** A new key with that label. */
export const issueKey = (
  url: string,
  { adminToken }: Pick<Keys, "adminToken">,
  label: string
): Effect.Effect<string, LocalnetError> =>
  Effect.map(
    ask(`${url}/api-keys`, Schema.Struct({ key: Schema.String }), { authorization: `Bearer ${adminToken}` }, { label }),
    ({ key }) => key
  )

const Kept = Schema.Struct({ apiKey: Schema.String.check(Schema.isMinLength(32)) })

/** The key with which the oracle reads nonce mappings. */
export const mappingsKey = Effect.fnUntraced(
  function*({ mappingsKey: file }: Pick<Paths, "mappingsKey">, keys: Keys, url: string) {
    const kept = yield* readJson(file, Kept)
    if (Option.isSome(kept)) return kept.value.apiKey
    const apiKey = yield* issueKey(url, keys, "oracle")
    yield* write(file, `${JSON.stringify({ apiKey } satisfies typeof Kept.Type)}\n`)
    return apiKey
  }
)
