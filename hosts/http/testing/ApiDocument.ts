/** The operations of an OpenAPI document, and a check whether an answer is declared in it. */
import { Ajv2020 } from "ajv/dist/2020.js"

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly nullable?: boolean
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
}

export interface Parameter {
  readonly name: string
  readonly in: "query" | "header" | "path"
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: JsonSchema | undefined
  readonly statuses: ReadonlyArray<number>
  readonly isSecured: boolean
}

interface RawOperation {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: JsonSchema } } }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
  readonly security?: ReadonlyArray<object>
}

/** The part of a document that is read. */
export interface OpenApiDocument {
  readonly paths: object
  readonly components: { readonly schemas: object }
}

export interface ApiDocument {
  readonly operations: ReadonlyArray<Operation>
  /** The schema that a reference points to. */
  readonly resolve: (schema: JsonSchema) => JsonSchema
  /**
   * The violation of the document by an answer. Undefined when there is none. `text` is parsed where JSON is declared.
   */
  readonly faultOf: (operation: Operation, status: number, contentType: string, text: string) => string | undefined
}

const hasScheme = ({ security = [] }: RawOperation, name: string): boolean => security.some((each) => name in each)

/** What the scheme of API keys stands for. */
const keyHeader: Parameter = { name: "x-api-key", in: "header", schema: { type: "string" } }

const operationsOf = (
  paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
): ReadonlyArray<Operation> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]): Operation => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: [...raw.parameters ?? [], ...(hasScheme(raw, "apiKey") ? [keyHeader] : [])],
      body: raw.requestBody?.content["application/json"].schema,
      statuses: Object.keys(raw.responses).map(Number),
      isSecured: hasScheme(raw, "adminToken")
    }))
  )

const escape = (part: string): string => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))

export const readDocument = (document: OpenApiDocument): ApiDocument => {
  const components = document.components.schemas as Readonly<Record<string, JsonSchema>>
  const resolve = (schema: JsonSchema): JsonSchema => {
    if (schema.$ref !== undefined) return components[schema.$ref.split("/").at(-1) ?? ""] ?? {}
    return schema.allOf?.[0]?.$ref === undefined ? schema : resolve(schema.allOf[0])
  }

  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, "document")
  const validators = new Map<string, (body: unknown) => string | undefined>()
  const validatorOf = ({ method, path }: Operation, status: number) => {
    const pointer = [
      "paths",
      path,
      method.toLowerCase(),
      "responses",
      `${status}`,
      "content",
      "application/json",
      "schema"
    ].map(escape).join("/")
    const known = validators.get(pointer)
    if (known !== undefined) return known
    const validate = ajv.compile({ $ref: `document#/${pointer}` })
    const made = (body: unknown) => validate(body) ? undefined : ajv.errorsText(validate.errors)
    validators.set(pointer, made)
    return made
  }

  return {
    operations: operationsOf(document.paths as Readonly<Record<string, Readonly<Record<string, RawOperation>>>>),
    resolve,
    faultOf: (operation, status, contentType, text) => {
      if (!operation.statuses.includes(status)) return `status ${status} is not declared`
      if (status === 200 && contentType.includes("text/event-stream")) return undefined
      if (!contentType.includes("application/json")) return `content type ${contentType}`
      try {
        return validatorOf(operation, status)(JSON.parse(text))
      } catch (error) {
        return String(error)
      }
    }
  }
}
