/**
 * What the published document adds to the definition: descriptions and examples, `x-api-key` as a security scheme in
 * place of a header, and the events that a webhook receives, as callbacks of its creation (OpenAPI 3.0 has no other
 * place for them).
 */
import { describedBy, isMembers, listOf, mapped, membersOf } from "../../../http/document/DescribedSchemas.ts"
import type { Json, Members } from "../../../http/document/DescribedSchemas.ts"
import { descriptions } from "./Descriptions.ts"
import { bodies, exampleOf } from "./Examples.ts"

const described = describedBy(descriptions)

const shownBy = (operation: string, parameter: Members): Members => {
  const name = typeof parameter["name"] === "string" ? parameter["name"] : ""
  const example = exampleOf(operation, name, parameter["required"] === true)
  const { description = descriptions[name], ...schema } = membersOf(parameter["schema"])
  return {
    ...parameter,
    // Pages that show a document read the parameter's description, and not its schema's.
    ...(description === undefined ? {} : { description, schema }),
    ...(example === undefined ? {} : { example })
  }
}

const withBody = (operation: string, value: Json | undefined): Members => {
  const body = membersOf(value)
  const content = membersOf(body["content"])
  const json = membersOf(content["application/json"])
  // One example, or several with names: never both.
  const example = "examples" in json ? undefined : bodies[operation]
  if (value === undefined || example === undefined) return value === undefined ? {} : { requestBody: value }
  return { requestBody: { ...body, content: { ...content, "application/json": { ...json, example } } } }
}

const isKey = (parameter: Json): boolean => isMembers(parameter) && parameter["name"] === "x-api-key"

/** The key is optional in the document: the description says which operations refuse a caller without one. */
const operationOf = (name: string, operation: Members): Members => {
  const all = listOf(operation["parameters"])
  const others = all.filter((each) => !isKey(each)).map((each) => isMembers(each) ? shownBy(name, each) : each)
  const { parameters: _, requestBody, ...rest } = operation
  return {
    ...rest,
    ...(others.length === 0 ? {} : { parameters: others }),
    ...withBody(name, requestBody),
    ...(all.some(isKey) ? { security: [{ apiKey: [] }, {}] } : {}),
    ...(name === "POST /webhooks" ? { callbacks } : {})
  }
}

const text = (description: string): Json => ({ type: "string", description })
const count = (description: string): Json => ({ type: "integer", description })

const event = (summary: string, example: Members, data: Json): Json => ({
  "{$request.body#/url}": {
    post: {
      summary,
      description:
        "Signed: X-Signature-SHA256 is the hex HMAC-SHA256 of `timestamp.body` under the webhook's secret, X-Signature-Timestamp the timestamp. Sent until it is answered with 2xx, at most ten times.",
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: {
                event: text("kind of the event"),
                id: text("the same in every attempt and replay"),
                sequence: count("1 for the first, then without gaps"),
                timestamp: count("when it happened, milliseconds"),
                data
              },
              required: ["event", "id", "sequence", "timestamp", "data"]
            },
            example
          }
        }
      },
      responses: { "204": { description: "it was taken; any 2xx will do" } }
    }
  }
})

const callbacks: Members = {
  "request.status.updated": event(
    "A request of the key has changed",
    {
      event: "request.status.updated",
      id: `0x000001a1fb73b16b${"00".repeat(24)}.2`,
      sequence: 2,
      timestamp: 1_795_223_186_000,
      data: {
        status: "pending",
        details: "the deposit is confirmed, the payment is being made",
        inTxHashes: [],
        txHashes: [],
        refunds: [],
        failReason: "N/A",
        refundFailReason: "N/A"
      }
    },
    { $ref: "#/components/schemas/IntentStatus" }
  ),
  "app-balance.low": event(
    "The linked wallet's available balance has fallen below the webhook's threshold",
    {
      event: "app-balance.low",
      id: "low.wh_5b1c3a0f9d8e7c6b5a493827.1",
      sequence: 1,
      timestamp: 1_795_223_186_000,
      data: { wallet: "0x8f6f614a09b24707aa27294bf08a239ad45bd3cc", available: "4000000", threshold: "5000000" }
    },
    {
      type: "object",
      description: "the balance",
      properties: {
        wallet: text("the linked wallet"),
        available: text("micro-USDC, less what is held"),
        threshold: text("lowBalance of the webhook, micro-USDC")
      }
    }
  )
}

const apiKey: Json = {
  type: "apiKey",
  in: "header",
  name: "x-api-key",
  description:
    "Raises the limits, and is needed to sponsor, to list requests and for webhooks. An unknown key is refused. Keep it on a server."
}

export const decorate = (document: Members): Members => {
  const components = membersOf(document["components"])
  const paths = mapped(
    membersOf(document["paths"]),
    (item, path) =>
      mapped(
        membersOf(item),
        (operation, method) =>
          isMembers(operation) ? operationOf(`${method.toUpperCase()} ${path}`, operation) : operation
      )
  )
  return {
    ...document,
    paths: described("paths")(paths),
    components: {
      ...components,
      schemas: mapped(membersOf(components["schemas"]), (schema, name) => described(name)(schema)),
      securitySchemes: { ...membersOf(components["securitySchemes"]), apiKey }
    }
  }
}
