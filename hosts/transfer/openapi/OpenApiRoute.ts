/**
 * GET /openapi.json: the committed docs/openapi.json with the servers of this environment.
 *
 * Serving the very file that was reviewed, a test having compared it with the API definition, keeps the converter (which
 * brings a TypeScript of its own) out of what runs.
 */
import { HttpRouter, HttpServerResponse } from "effect/http"
import document from "../../../docs/openapi.json" with { type: "json" }

export interface ServerUrls {
  readonly baseUrl: string
  readonly testnetBaseUrl?: string | undefined
}

export const layer = ({ baseUrl, testnetBaseUrl }: ServerUrls) => {
  const servers = [
    { url: baseUrl, description: "mainnet" },
    ...(testnetBaseUrl === undefined ? [] : [{ url: testnetBaseUrl, description: "testnet" }])
  ]
  return HttpRouter.add("GET", "/openapi.json", HttpServerResponse.jsonUnsafe({ ...document, servers }))
}
