/**
 * The OpenAPI document of the API definition, as this service publishes it. Members that never reach the wire are
 * removed, and answers may gain members, so that a generated client keeps working with the next version.
 *
 * Effect writes OpenAPI 3.1. The parts that our schemas use are also valid 3.0.3, except null, which 3.0.3 writes as
 * `nullable`. `npm run docs` writes docs/openapi.json, which the service serves; its test refuses anything that 3.0.3
 * does not know.
 */
import type { SchemaAST } from "effect"
import { OpenApi } from "effect/http-api"
import { WireDetails } from "../../../src/domain/quote/wire/Details.ts"
import { WireFeeSponsorship } from "../../../src/domain/quote/wire/FeeSponsorship.ts"
import { WireFees } from "../../../src/domain/quote/wire/Quote.ts"
import { WireAmount, WireCurrency } from "../../../src/domain/quote/wire/WireAmount.ts"
import { TimelineAmount, TimelineChain, TimelineTransaction } from "../../../src/domain/timeline/RequestTimeline.ts"
import { decorate } from "./document/Decorate.ts"
import { quoteExamples } from "./quote/QuoteExamples.ts"
import { isMembers } from "../../http/document/DescribedSchemas.ts"
import type { Json } from "../../http/document/DescribedSchemas.ts"
import { TransferApi } from "./TransferApi.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const ENCODED = "Encoded"

/** `BadRequestEncoded` is `BadRequest` to a client: the codec's other side has no name on the wire. */
const referenceOf = (reference: string): string =>
  reference.endsWith(ENCODED) ? reference.slice(0, -ENCODED.length) : reference

type Schemas = Readonly<Record<string, unknown>>

const COMPONENTS = "#/components/schemas/"

/** The referenced component itself: in 3.0 a nullable value cannot be a reference. */
const resolved = (schema: unknown, schemas: Schemas): unknown =>
  isObject(schema) && typeof schema["$ref"] === "string" ? schemas[schema["$ref"].slice(COMPONENTS.length)] : schema

/** In 3.0.3 an enum forbids null, even of a nullable schema, unless it lists it. */
const withNull = (schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { enum: values } = schema
  if (!Array.isArray(values)) return schema
  const listed: ReadonlyArray<unknown> = values
  return { ...schema, enum: [...listed, null] }
}

/** `anyOf` of something and null, in 3.0.3's form. */
const nullable = (schema: Readonly<Record<string, unknown>>, schemas: Schemas): Readonly<Record<string, unknown>> => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const members: ReadonlyArray<unknown> = anyOf
  const other = resolved(members.find((member) => !isObject(member) || member["type"] !== "null"), schemas)
  const isNullable = members.some((member) => isObject(member) && member["type"] === "null")
  return isNullable && isObject(other) && typeof other["type"] === "string"
    ? { ...rest, ...withNull(other), nullable: true }
    : schema
}

/** Converts a schema, or any part of the document, to the published form. */
const publishing = (schemas: Schemas) => {
  const published = (value: unknown): Json => {
    if (Array.isArray(value)) return value.map(published)
    if (!isObject(value)) {
      return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
    }
    const entries = Object.entries(nullable(value, schemas)).flatMap(
      ([key, member]): ReadonlyArray<readonly [string, Json]> => {
        if (key === "additionalProperties" && member === false) return []
        if (key === "_tag") return []
        if (key === "$ref" && typeof member === "string") return [[key, referenceOf(member)]]
        // An empty list here would forbid what an absent one leaves open, or say nothing at all.
        if ((key === "parameters" || key === "security") && Array.isArray(member) && member.length === 0) return []
        return [[key, published(member)]]
      }
    )
    return Object.fromEntries(entries)
  }
  return published
}

/** Shapes that occur everywhere in a quote are one component each. Otherwise the document is ten times as long. */
const shapeNames: ReadonlyMap<SchemaAST.AST, string> = new Map([
  [WireAmount.ast, "Amount"],
  [WireCurrency.ast, "Currency"],
  [WireFees.ast, "Fees"],
  [WireFeeSponsorship.ast, "FeeSponsorship"],
  [WireDetails.ast, "Details"],
  [TimelineAmount.ast, "TimelineAmount"],
  [TimelineChain.ast, "TimelineChain"],
  [TimelineTransaction.ast, "TimelineTransaction"]
])

const options: OpenApi.FromApiOptions = {
  referencePolicy: ({ ast, identifier }) => identifier ?? shapeNames.get(ast),
  includeAnnotationKey: (key) => key === "deprecated"
}

const isSchema = (value: Json): value is { readonly [key: string]: Json } =>
  isObject(value) && value["type"] === "object"

/** A shape without the description of a single use. */
const shapeKey = ({ description: _, ...shape }: { readonly [key: string]: Json }): string => JSON.stringify(shape)

/** Components with a different description at each use. */
const described: ReadonlySet<string> = new Set(["Amount", "TimelineAmount"])

/** Replaces copies of a component, which exist because a use has its own description, by a reference to it. */
const referring = (components: ReadonlyMap<string, string>) => {
  const walk = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, member]) => [key, walk(member)] as const)
    const walked: Json = Object.fromEntries(entries)
    const name = isSchema(walked) ? components.get(shapeKey(walked)) : undefined
    if (name === undefined || !isSchema(walked)) return walked
    const reference = { $ref: `${COMPONENTS}${name}` }
    const { description } = walked
    return description === undefined ? reference : { allOf: [reference], description }
  }
  return walk
}

/** A document in which the member at a path is another. Unchanged where there is no such member. */
const changed = (value: Json, [key, ...rest]: ReadonlyArray<string>, change: (member: Json) => Json): Json => {
  if (key === undefined) return change(value)
  if (!isObject(value)) return value
  const member = value[key]
  return member === undefined ? value : { ...value, [key]: changed(member, rest, change) }
}

/** The quote's body with an example from each kind of chain. Effect's schemas have examples of a value, without names. */
const withExamples = (document: Json): Json =>
  changed(
    document,
    ["paths", "/quote", "post", "requestBody", "content", "application/json"],
    (media) => isObject(media) ? { ...media, examples: quoteExamples } : media
  )

/** Without servers: they depend on the environment, and the code that serves the document adds them. */
export const apiDocument = (): { readonly [key: string]: Json } => {
  const { components, ...rest } = OpenApi.fromApi(TransferApi, options)
  const published = publishing(components.schemas)
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    [referenceOf(name), published(schema)] as const
  )
  const amounts = schemas.flatMap(([name, schema]) =>
    described.has(name) && isSchema(schema) ? [[shapeKey(schema), name] as const] : []
  )
  const refer = referring(new Map(amounts))
  const document = withExamples(refer(published(rest)))
  return decorate({
    ...(isMembers(document) ? document : {}),
    openapi: "3.0.3",
    components: {
      schemas: Object.fromEntries(
        schemas.map(([name, schema]) => [name, described.has(name) ? schema : refer(schema)])
      ),
      securitySchemes: published(components.securitySchemes)
    }
  })
}

/** Method and path of every operation with its summary, as `GET /chains`, in the order of the definition. */
export const operationsOf = (): ReadonlyArray<{ readonly name: string; readonly summary: string }> =>
  Object.entries(OpenApi.fromApi(TransferApi).paths).flatMap(([path, item]) =>
    (["get", "post", "put", "delete", "patch"] as const).flatMap((method) => {
      const operation = item[method]
      return operation === undefined
        ? []
        : [{ name: `${method.toUpperCase()} ${path}`, summary: operation.summary ?? operation.operationId }]
    })
  )
