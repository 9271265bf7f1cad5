/**
 * GET /openapi.json: the committed docs/openapi.json with the servers of this environment. GET /documentation shows it
 * to people, by a reader that loads nothing from elsewhere.
 *
 * Serves exactly the file that was reviewed. A test compares it with the API definition. It is read once, at start, and
 * without it the host does not start.
 */
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { layerReader } from "../../http/DocumentReader.ts"
import { prepare } from "../../http/ahead/PreparedAnswer.ts"
import { openApiFile } from "../PackageFiles.ts"
import { icon } from "../page/Document.ts"
import { TransferApi } from "./TransferApi.ts"
import { readFileSync } from "node:fs"

export interface ServerUrls {
  /** ENVIRONMENT, by which the server is labelled. */
  readonly environment: string
  readonly baseUrl: string
  readonly testnetBaseUrl?: string | undefined
}

/** What people call the networks of an environment. */
const labelOf = (environment: string): string => {
  if (environment === "local") return "local network"
  return environment.startsWith("testnets") ? "testnet" : environment.startsWith("mainnets") ? "mainnet" : environment
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

export const layer = ({ baseUrl, environment, testnetBaseUrl }: ServerUrls) => {
  const servers = [
    { url: baseUrl, description: labelOf(environment) },
    ...(testnetBaseUrl === undefined ? [] : [{ url: testnetBaseUrl, description: "testnet" }])
  ]
  return Layer.unwrap(
    Effect.sync(() => readFileSync(openApiFile, "utf8")).pipe(
      Effect.flatMap(decode),
      Effect.orDie,
      Effect.map((document) => {
        const served = { ...document, servers }
        const prepared = prepare(HttpServerResponse.jsonUnsafe(served))
        return Layer.merge(
          HttpRouter.add("GET", "/openapi.json", ({ headers }) => Effect.succeed(prepared(headers))),
          layerReader(TransferApi, "/documentation", {
            document: served,
            servers: servers.map(({ url }) => url),
            icon
          })
        )
      })
    )
  )
}
