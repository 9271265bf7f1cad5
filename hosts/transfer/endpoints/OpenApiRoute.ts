/**
 * GET /openapi.json: the committed docs/openapi.json with the servers of this environment.
 *
 * Serves exactly the file that was reviewed. A test compares it with the API definition. It is read once, at start, and
 * without it the host does not start.
 */
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"

export interface ServerUrls {
  readonly baseUrl: string
  readonly testnetBaseUrl?: string | undefined
}

/** Two folders up, both here and in the published package, which bundles modules (scripts/pack). */
const path = new URL("../../../docs/openapi.json", import.meta.url)

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

export const layer = ({ baseUrl, testnetBaseUrl }: ServerUrls) => {
  const servers = [
    { url: baseUrl, description: "mainnet" },
    ...(testnetBaseUrl === undefined ? [] : [{ url: testnetBaseUrl, description: "testnet" }])
  ]
  return Layer.unwrap(
    Effect.sync(() => readFileSync(path, "utf8")).pipe(
      Effect.flatMap(decode),
      Effect.orDie,
      Effect.map((document) =>
        HttpRouter.add("GET", "/openapi.json", HttpServerResponse.jsonUnsafe({ ...document, servers }))
      )
    )
  )
}
