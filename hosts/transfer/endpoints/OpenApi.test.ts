/**
 * The committed OpenAPI document: valid 3.0.3, complete, and equal to the one from the definition
 * (scripts/docs/Pages.test.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Schema } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import document from "../../../docs/openapi.json" with { type: "json" }
import { quoteErrorCodes } from "../../../src/domain/quote/QuoteError.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"

interface Operation {
  readonly operationId?: string
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
  readonly parameters?: ReadonlyArray<
    { readonly name: string; readonly required?: boolean; readonly description?: string; readonly example?: unknown }
  >
  readonly requestBody?: {
    readonly content: Readonly<Record<string, Body>>
  }
}

interface Body {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

/** A part of the document whose objects take no other members than their own: a service ignores what it does not know. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]))
  return members["type"] === "object" && "properties" in members ? { ...members, additionalProperties: false } : members
}

const operations: ReadonlyArray<readonly [name: string, operation: Operation]> = Object.entries(
  document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
)

describe("docs/openapi.json", () => {
  it("is a valid OpenAPI document of the contract's versions", async () => {
    assert.strictEqual(document.openapi, "3.0.3")
    assert.strictEqual(document.info.version, "1.0.0")
    assert.deepStrictEqual(await new Validator().validate(structuredClone(document)), { valid: true })
  })

  it("gives every operation a unique id and every refusal a body", () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    assert.strictEqual(new Set(ids).size, operations.length)
    for (const [name, { responses }] of operations) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) >= 400) assert.property(response.content ?? {}, "application/json", `${name} ${status}`)
      }
    }
  })

  it("declares for every route the answers of limits and framework", () => {
    for (const [name, { parameters, responses }] of operations) {
      if (name.endsWith("/lives") || name.endsWith("/ready")) continue
      const statuses = Object.keys(responses)
      assert.includeMembers(
        statuses,
        name.startsWith("POST") ? ["409", "413", "415", "429", "500"] : ["429", "500"],
        name
      )
      if (name.startsWith("POST")) assert.include(parameters?.map((each) => each.name) ?? [], "idempotency-key", name)
    }
  })

  it("lists every error code, and no member that is never sent", () => {
    assert.deepStrictEqual(document.components.schemas.QuoteBadRequest.properties.errorCode.enum, [...quoteErrorCodes])
    assert.notInclude(JSON.stringify(document), "\"_tag\"")
  })

  it("lists null among the values of an enum that may be null", () => {
    assert.include(document.components.schemas.WebhookTry.properties.failure.enum, null)
  })

  it("has every operation shown with a call in docs/api.md", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/api.md"), "utf8")
    const aliases = [
      "POST /quote/v2",
      "GET /intents/status/v3",
      "GET /intents/status/v2",
      "GET /requests/v2",
      "POST /requests/metadata"
    ]
    for (const [name] of operations) assert.include(guide, aliases.includes(name) ? `\`${name}\`` : name, name)
  })

  it("describes every member of every body", () => {
    const undescribed: Array<string> = []
    const walk = (value: unknown, where: string): void => {
      if (typeof value !== "object" || value === null) return
      for (const [name, member] of Object.entries(value)) {
        if (name === "example") continue
        walk(member, `${where}/${name}`)
        if (name !== "properties" || Array.isArray(value)) continue
        for (const [property, schema] of Object.entries(member as Record<string, object>)) {
          if (!("description" in schema || "$ref" in schema || "allOf" in schema)) {
            undescribed.push(`${where}.${property}`)
          }
        }
      }
    }
    walk({ paths: document.paths, schemas: document.components.schemas }, "")
    assert.deepStrictEqual(undescribed, [])
  })

  it("describes every parameter", () => {
    const undescribed = operations.flatMap(([name, { parameters = [] }]) =>
      parameters.flatMap(({ description = "", name: parameter }) => description === "" ? [`${name} ${parameter}`] : [])
    )
    assert.deepStrictEqual(undescribed, [])
  })

  it("shows only bodies that their schema accepts, without a member too many", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const components = closed(document.components)
    const wrong: Array<string> = []
    for (const [name, { requestBody }] of operations) {
      const body = requestBody?.content["application/json"]
      if (body === undefined) continue
      const validate = ajv.compile({ components, ...closed(body.schema) as object })
      const shown = body.examples === undefined
        ? [body.example]
        : Object.values(body.examples).map(({ value }) => value)
      assert.isNotEmpty(shown, name)
      for (const example of shown) {
        if (!validate(example)) wrong.push(`${name}: ${ajv.errorsText(validate.errors)} ${JSON.stringify(example)}`)
      }
    }
    assert.deepStrictEqual(wrong, [])
  })

  it("shows ids as the service makes them", () => {
    const forms: ReadonlyArray<readonly [path: string, isOne: (id: unknown) => boolean]> = [
      ["/api-keys/", (id) => /^key_[0-9a-f]{16}$/u.test(String(id))],
      ["/webhooks/deliveries/", (id) => /^wh_[0-9a-f]{24}\.0x[0-9a-f]{64}\.[1-9][0-9]*$/u.test(String(id))],
      ["/webhooks/", Schema.is(WebhookId)]
    ]
    for (const [name, { parameters = [] }] of operations) {
      const isOne = forms.find(([path]) => name.includes(path))?.[1]
      const id = parameters.find((each) => each.name === "id")
      if (isOne !== undefined && id !== undefined) assert.isTrue(isOne(id.example), `${name} ${String(id.example)}`)
    }
  })

  it("shows every body and every required parameter by an example", () => {
    for (const [name, { parameters = [], requestBody }] of operations) {
      for (const { example, name: parameter, required } of parameters) {
        if (required === true) assert.isDefined(example, `${name} ${parameter}`)
      }
      const body = requestBody?.content["application/json"]
      // Several have names, one has none.
      if (body !== undefined) assert.isDefined(body.example ?? body.examples, name)
    }
  })

  it("has API keys as a security scheme, and what a webhook receives", () => {
    assert.deepInclude(document.components.securitySchemes.apiKey, { type: "apiKey", in: "header", name: "x-api-key" })
    assert.notInclude(JSON.stringify(operations.flatMap(([, { parameters }]) => parameters ?? [])), "x-api-key")
    assert.deepStrictEqual(document.paths["/quote"].post.security, [{ apiKey: [] }, {}])
    assert.deepStrictEqual(Object.keys(document.paths["/webhooks"].post.callbacks), [
      "request.status.updated",
      "app-balance.low"
    ])
  })

  it("marks what is deprecated", () => {
    for (const name of ["sweep", "subsidizeRent"]) {
      assert.match(JSON.stringify(document), new RegExp(`"${name}":\\{[^{}]*"deprecated":true`, "u"))
    }
  })

  it("marks the compatibility aliases", () => {
    assert.strictEqual(document.paths["/quote/v2"].post["x-compatibility-alias-of"], "/quote")
    assert.strictEqual(document.paths["/intents/status/v3"].get["x-compatibility-alias-of"], "/intents/status")
  })
})
