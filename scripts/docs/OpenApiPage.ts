/**
 * docs/openapi.json: the API definition as OpenAPI 3.0.3, generated. The service serves this document with its servers
 * added.
 */
import { apiDocument } from "../../hosts/transfer/endpoints/ApiDocument.ts"
import type { Json } from "../../hosts/http/document/DescribedSchemas.ts"

/**
 * Members down to this depth get a line of their own (a route's method, a shape), so that a diff shows a change without
 * indenting the whole file.
 */
const DEPTH_OF_LINES = 3

const lines = (value: Json, depth: number): string =>
  depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)
    ? JSON.stringify(value)
    : `{\n${
      Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${lines(member, depth - 1)}`).join(",\n")
    }\n}`

export const openApiPage = (): string => `${lines(apiDocument(), DEPTH_OF_LINES)}\n`
