/** Every example of the OpenAPI document, sent to a host on the local network that `npm start` starts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther } from "viem"
import openApi from "../../../../docs/openapi.json" with { type: "json" }
import { isMembers, mapped } from "../../../http/document/DescribedSchemas.ts"
import type { Json } from "../../../http/document/DescribedSchemas.ts"
import { readDocument } from "../../../http/testing/ApiDocument.ts"
import type { Operation } from "../../../http/testing/ApiDocument.ts"
import { bodies, exampleOf } from "../../endpoints/document/Examples.ts"
import { ended, nativeRequest, post, quote, sendDeposit } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { startReceiver } from "../../testing/Receiver.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import type { Network } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
const document = readDocument(openApi)

/** What these calls lack: a wallet's signature, a message that was asked for, or what such a signature makes. */
const refused: Readonly<Record<string, number>> = {
  "POST /execute/permits": 400,
  "POST /authorize": 400,
  "GET /queries/nonce-mappings/{chainId}/{depositor}/{nonce}/v1": 404,
  "GET /app-fees/{wallet}/statement": 403,
  "POST /app-fees/{wallet}/claim": 400,
  "POST /app-fees/{wallet}/withdraw": 400,
  "POST /app-fees/{wallet}/settle": 400,
  "GET /app-fees/{wallet}/payouts/{id}": 404,
  "POST /api-keys/wallets": 400,
  "POST /api-keys/wallets/unlink": 400
}

/** Values in place of the example's, by the operation and the name of a parameter or of a body's member. */
type Replaced = Readonly<Record<string, string>>

const targetOf = ({ name, parameters: all, path }: Operation, made: Replaced): string => {
  const query = new URLSearchParams()
  let target = path
  for (const { in: place, name: parameter, required } of all) {
    const example = exampleOf(name, parameter, required === true)
    if (example === undefined) continue
    const value = made[`${name} ${parameter}`] ?? example
    if (place === "path") target = target.replace(`{${parameter}}`, encodeURIComponent(value))
    else if (place === "query") query.set(parameter, value)
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`
}

/** The example's body, with what was made in place of its own values. */
const bodyOf = (name: string, made: Replaced): Json | undefined => {
  const body = bodies[name]
  return isMembers(body) ? mapped(body, (member, key) => made[`${name} ${key}`] ?? member) : body
}

/** Of what is paused a quote would be refused, and what is deleted is gone: those come last, in this order. */
const turnOf = ({ method, path }: Operation): number => method === "DELETE" ? 2 : path === "/admin/pauses" ? 1 : 0

const Id = Schema.Struct({ id: Schema.String })
const NewKey = Schema.Struct({ id: Schema.String, key: Schema.String })
const Quoted = Schema.Struct({
  steps: Schema.NonEmptyArray(
    Schema.Struct({ requestId: Schema.String, depositAddress: Schema.optionalKey(Schema.String) })
  )
})
const Log = Schema.Struct({ deliveries: Schema.Array(Schema.Struct({ id: Schema.String, state: Schema.String })) })

/** What the examples name: two keys, a webhook with a delivery, a request that was paid, and one with a deposit address. */
const make = Effect.fnUntraced(function*({ chains, user }: Network, url: string) {
  const made = <S extends Schema.Decoder<unknown>>(
    path: string,
    body: object,
    schema: S,
    headers: Readonly<Record<string, string>> = {}
  ) =>
    Effect.map(post(`${url}${path}`, body, headers), (answer) => {
      assert.strictEqual(answer.status, 200, answer.text)
      return Schema.decodeUnknownSync(schema)(answer.json())
    })
  const { key } = yield* made("/api-keys", { label: "examples" }, NewKey, admin)
  const other = yield* made("/api-keys", { label: "to be changed and revoked" }, NewKey, admin)
  const caller = { "x-api-key": key }
  const receiver = yield* startReceiver()
  const webhook = yield* made("/webhooks", { url: receiver.url }, Id, caller)
  const asked = nativeRequest(user(0), chains.alpha, chains.beta, parseEther("0.1"))
  const paid = yield* quote(url, asked, caller)
  yield* sendDeposit(chains.alpha, chains.users[0] ?? "0x", paid)
  yield* ended(url, paid)
  const { deliveries: [delivery] } = yield* Effect.repeat(
    Effect.map(
      get(`${url}/webhooks/deliveries`, { headers: caller }),
      ({ json }) => Schema.decodeUnknownSync(Log)(json())
    ),
    { until: ({ deliveries }) => deliveries.some(({ state }) => state === "delivered") }
  )
  const { steps: [address] } = yield* made(
    "/quote",
    { ...asked, recipient: user(1), refundTo: user(0), useDepositAddress: true },
    Quoted
  )
  const requestId = paid.steps[0]?.requestId ?? ""
  const replaced: Replaced = {
    "GET /intents/status requestId": requestId,
    // The stream of a request that has ended ends, too.
    "GET /intents/status/stream requestId": requestId,
    "GET /requests/{id} id": requestId,
    "POST /requests/metadata requestId": requestId,
    "POST /admin/requests/{id}/retry id": requestId,
    "GET /deposit-addresses requestId": address.requestId,
    "POST /transactions/deposit-address/reindex depositAddress": address.depositAddress ?? "",
    "POST /webhooks/{id}/secret id": webhook.id,
    "DELETE /webhooks/{id} id": webhook.id,
    "POST /webhooks/deliveries/{id}/replay id": delivery?.id ?? "",
    "POST /api-keys/{id}/rotate id": other.id,
    "GET /api-keys/{id}/budgets id": other.id,
    "PUT /api-keys/{id}/budgets id": other.id,
    "DELETE /api-keys/{id} id": other.id
  }
  return { caller, replaced }
})

describe("the examples of the OpenAPI document", () => {
  it.live(
    "are answered as declared, and refused only where a wallet has to sign",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const network = yield* startNetwork
        const { url } = yield* network.startInstance({ ADMIN_TOKEN })
        const { caller, replaced } = yield* make(network, url)
        const answers: Array<readonly [name: string, status: number, text: string]> = []
        const asked = document.operations.toSorted((one, other) => turnOf(one) - turnOf(other))
        for (const operation of asked) {
          const body = bodyOf(operation.name, replaced)
          const response = yield* Effect.promise(() =>
            fetch(`${url}${targetOf(operation, replaced)}`, {
              method: operation.method,
              headers: {
                ...admin,
                ...caller,
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
