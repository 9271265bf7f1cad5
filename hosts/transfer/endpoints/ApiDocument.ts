/**
 * The OpenAPI document of the API definition, as this service means it: what never reaches the wire is taken out, and
 * answers may gain members, so that a client made from it survives the next version.
 *
 * effect writes OpenAPI 3.1. What our schemas use of it is 3.0.3 too, but for null, which 3.0.3 spells `nullable`; the
 * test of docs/openapi.json, which `npm run docs` writes and the service serves, refuses whatever else 3.0.3 does not
 * know.
 */
import type { SchemaAST } from "effect"
import { OpenApi } from "effect/http-api"
import { WireDetails } from "../../../src/domain/quote/wire/Details.ts"
import { WireFeeSponsorship } from "../../../src/domain/quote/wire/FeeSponsorship.ts"
import { WireFees } from "../../../src/domain/quote/wire/Quote.ts"
import { WireAmount, WireCurrency } from "../../../src/domain/quote/wire/WireAmount.ts"
import { TimelineAmount, TimelineChain, TimelineTransaction } from "../../../src/domain/timeline/RequestTimeline.ts"
import { TransferApi } from "./TransferApi.ts"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const ENCODED = "Encoded"

/** `BadRequestEncoded` is `BadRequest` to a client: the other side of the codec has no name on the wire. */
const referenceOf = (reference: string): string =>
  reference.endsWith(ENCODED) ? reference.slice(0, -ENCODED.length) : reference

type Schemas = Readonly<Record<string, unknown>>

const COMPONENTS = "#/components/schemas/"

/** The component that is referred to, as it is: what may be null cannot be a reference in 3.0. */
const resolved = (schema: unknown, schemas: Schemas): unknown =>
  isObject(schema) && typeof schema["$ref"] === "string" ? schemas[schema["$ref"].slice(COMPONENTS.length)] : schema

/** `anyOf` of something and null, as 3.0.3 spells it. */
const nullable = (schema: Readonly<Record<string, unknown>>, schemas: Schemas): Readonly<Record<string, unknown>> => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const members: ReadonlyArray<unknown> = anyOf
  const other = resolved(members.find((member) => !isObject(member) || member["type"] !== "null"), schemas)
  const isNullable = members.some((member) => isObject(member) && member["type"] === "null")
  return isNullable && isObject(other) && typeof other["type"] === "string"
    ? { ...rest, ...other, nullable: true }
    : schema
}

/** A schema, or any part of the document, in the spelling that is published. */
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
        // An empty list here would forbid what an absent one leaves open, or says nothing at all.
        if ((key === "parameters" || key === "security") && Array.isArray(member) && member.length === 0) return []
        return [[key, published(member)]]
      }
    )
    return Object.fromEntries(entries)
  }
  return published
}

/** Shapes that occur all over a quote are one component each: otherwise the document is ten times as long. */
const shapeNames: ReadonlyMap<SchemaAST.AST, string> = new Map([
  [WireAmount.ast, "Amount"],
  [WireCurrency.ast, "Currency"],
  [WireFees.ast, "Fees"],
  [WireFeeSponsorship.ast, "FeeSponsorship"],
  [WireDetails.ast, "Details"],
  [TimelineAmount.ast, "StoryAmount"],
  [TimelineChain.ast, "StoryChain"],
  [TimelineTransaction.ast, "StoryTransaction"]
])

const options: OpenApi.FromApiOptions = {
  referencePolicy: ({ ast, identifier }) => identifier ?? shapeNames.get(ast),
  includeAnnotationKey: (key) => key === "deprecated"
}

const isSchema = (value: Json): value is { readonly [key: string]: Json } =>
  isObject(value) && value["type"] === "object"

/** A shape without what a place says about it. */
const shapeKey = ({ description: _, ...shape }: { readonly [key: string]: Json }): string => JSON.stringify(shape)

/** Components that places describe each in its own words. */
const described: ReadonlySet<string> = new Set(["Amount", "StoryAmount"])

/** Replaces copies of a component, made because a place describes them, by a reference to it. */
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

/** Servers are a fact of an environment and are added by whoever serves the document. */
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
  const document = refer(published(rest))
  return {
    ...(isObject(document) ? document : {}),
    openapi: "3.0.3",
    components: {
      schemas: Object.fromEntries(
        schemas.map(([name, schema]) => [name, described.has(name) ? schema : refer(schema)])
      ),
      securitySchemes: published(components.securitySchemes)
    }
  }
}
