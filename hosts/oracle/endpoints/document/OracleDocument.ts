/** The oracle's document of OpenAPI: its definition, with descriptions, examples and the key as a security scheme. */
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { describedBy, isMembers, mapped, membersOf } from "../../../http/document/DescribedSchemas.ts"
import type { Json, Members } from "../../../http/document/DescribedSchemas.ts"
import { OracleApi } from "../OracleApi.ts"
import { descriptions } from "./Descriptions.ts"
import { bodies } from "./Examples.ts"

const described = describedBy(descriptions)

/** Answered without a key. */
const open: ReadonlyArray<string> = ["getLives"]

const operationOf = (operation: Json): Json => {
  if (!isMembers(operation)) return operation
  const id = typeof operation["operationId"] === "string" ? operation["operationId"] : ""
  const example = bodies[id]
  const body = membersOf(operation["requestBody"])
  const content = membersOf(body["content"])
  return {
    ...operation,
    ...(open.includes(id) ? {} : { security: [{ apiKey: [] }, {}] }),
    ...(example === undefined ? {} : {
      requestBody: {
        ...body,
        content: { ...content, "application/json": { ...membersOf(content["application/json"]), example } }
      }
    })
  }
}

const apiKey = {
  type: "apiKey",
  in: "header",
  name: "x-api-key",
  description: "Needed where the oracle's operator has set keys (API_KEYS): a 401 without."
}

const decorate = (document: Members): Members => {
  const components = membersOf(document["components"])
  return {
    ...document,
    paths: described("attestations")(
      mapped(membersOf(document["paths"]), (item) => mapped(membersOf(item), operationOf))
    ),
    components: {
      ...components,
      schemas: mapped(membersOf(components["schemas"]), (schema, name) => described(name)(schema)),
      securitySchemes: { ...membersOf(components["securitySchemes"]), apiKey }
    }
  }
}

const whole: Json = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))(
  JSON.stringify(OpenApi.fromApi(OracleApi))
)

/** Served at /openapi.json, and shown at /documentation. */
export const oracleDocument: Members = isMembers(whole) ? decorate(whole) : {}
