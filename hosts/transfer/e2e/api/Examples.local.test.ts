/** Every example of the OpenAPI document, sent to a host on the local network that `npm start` starts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import openApi from "../../../../docs/openapi.json" with { type: "json" }
import { readDocument } from "../../../http/testing/ApiDocument.ts"
import type { Operation } from "../../../http/testing/ApiDocument.ts"
import { bodies, exampleOf } from "../../endpoints/document/Examples.ts"
import { post } from "../../testing/Client.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const document = readDocument(openApi)

/** What a static example cannot have: a signature, a message that was asked for, or something that exists. */
const refused: Readonly<Record<string, number>> = {
  "POST /execute/permits": 400,
  "POST /authorize": 400,
  "GET /queries/nonce-mappings/{chainId}/{depositor}/{nonce}/v1": 404,
  "GET /deposit-addresses": 404,
  "GET /app-fees/{wallet}/statement": 403,
  "POST /transactions/deposit-address/reindex": 404,
  "POST /requests/metadata": 400,
  "GET /requests/{id}": 404,
  "DELETE /webhooks/{id}": 404,
  "POST /webhooks/{id}/secret": 404,
  "POST /webhooks/deliveries/{id}/replay": 404,
  "POST /app-fees/{wallet}/claim": 400,
  "POST /app-fees/{wallet}/withdraw": 400,
  "POST /app-fees/{wallet}/settle": 400,
  "GET /app-fees/{wallet}/payouts/{id}": 404,
  "DELETE /admin/pauses/{id}": 404,
  "POST /api-keys/{id}/rotate": 404,
  "DELETE /api-keys/{id}": 404,
  "POST /api-keys/wallets": 400,
  "POST /api-keys/wallets/unlink": 400,
  "GET /api-keys/{id}/budgets": 404,
  "PUT /api-keys/{id}/budgets": 404,
  "POST /admin/requests/{id}/retry": 404
}

const targetOf = ({ name, parameters: all, path }: Operation): string => {
  const query = new URLSearchParams()
  let target = path
  for (const { in: place, name: parameter, required } of all) {
    const example = exampleOf(name, parameter, required === true)
    if (example === undefined) continue
    if (place === "path") target = target.replace(`{${parameter}}`, encodeURIComponent(example))
    else if (place === "query") query.set(parameter, example)
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`
}

describe("the examples of the OpenAPI document", () => {
  it.live(
    "are answered as declared, and refused only where a wallet or a running request is needed",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { startInstance } = yield* startNetwork
        const { url } = yield* startInstance({ ADMIN_TOKEN })
        const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
        const made = yield* post(`${url}/api-keys`, { label: "examples" }, admin)
        const { key } = made.json() as { readonly key: string }
        const answers: Array<readonly [name: string, status: number, text: string]> = []
        // A stream of an unknown request stays open. Of what is paused, a quote would be refused: that comes last.
        const asked = document.operations.filter(({ path }) => path !== "/intents/status/stream").toSorted((
          one,
          other
        ) => Number(one.path === "/admin/pauses") - Number(other.path === "/admin/pauses"))
        for (const operation of asked) {
          const body = bodies[operation.name]
          const response = yield* Effect.promise(() =>
            fetch(`${url}${targetOf(operation)}`, {
              method: operation.method,
              headers: {
                ...admin,
                "x-api-key": key,
                ...(body === undefined ? {} : { "content-type": "application/json" })
              },
              ...(body === undefined ? {} : { body: JSON.stringify(body) })
            })
          )
          const text = yield* Effect.promise(() => response.text())
          const type = response.headers.get("content-type") ?? ""
          assert.isUndefined(document.faultOf(operation, response.status, type, text), `${operation.name}: ${text}`)
          answers.push([operation.name, response.status, text])
        }
        const wrong = answers.filter(([name, status]) => status !== (refused[name] ?? 200))
        assert.deepStrictEqual(wrong, [])
      }))
  )
})
