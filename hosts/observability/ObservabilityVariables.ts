/**
 * The environment variables for a host's telemetry. The OTEL names are those of OpenTelemetry's specification.
 *
 * SECURITY: keys for collectors are in headers or in the URL itself. Both are Redacted from here on.
 */
import { Redacted, Schema } from "effect"
import { read, readOptional } from "../configuration/Variables.ts"
import type { Variable } from "../configuration/Variables.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

const Ratio = Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const secret = (label: string, isValid: (text: string) => boolean) =>
  Schema.RedactedFromValue(Schema.String.check(Schema.makeFilter(isValid)), { label, disallowEncode: true })

type Headers = Readonly<Record<string, string>>

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return undefined
  }
}

const entryOf = (pair: string): readonly [string, string] | undefined => {
  const at = pair.indexOf("=")
  const name = at < 0 ? "" : pair.slice(0, at).trim().toLowerCase()
  const value = decoded(pair.slice(at + 1))
  return /^[a-z0-9!#$%&'*+.^_`|~-]+$/u.test(name) && value !== undefined && /^[\t\u0020-\u007e]*$/u.test(value)
    ? [name, value]
    : undefined
}

/**
 * Headers of OTEL_EXPORTER_OTLP_HEADERS: `name=value` separated by commas, values percent-encoded. Undefined when one
 * is malformed.
 */
export const parseHeaders = (text: string): Headers | undefined => {
  const entries = text.split(",").map(entryOf)
  return entries.includes(undefined) ? undefined : Object.fromEntries(entries.filter((entry) => entry !== undefined))
}

/** The variables that differ between hosts. */
interface HostDefaults {
  /** The host's name, unless an operator sets another one. */
  readonly service: string
  /** An access line costs about 10 µs: little compared with a quote, two percent of an attestation. */
  readonly accessRatio: string
}

/** Every variable of this kind. */
export const observabilityVariables = ({ accessRatio, service }: HostDefaults) => ({
  accessRatio: variable({
    name: "ACCESS_LOG_RATIO",
    meaning: "the share of requests that get an access line, 0 to 1; requests that fail by our fault always get one",
    schema: Ratio,
    fallback: accessRatio
  }),
  traceEndpoint: variable({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    meaning:
      "the base URL of a collector that takes traces by OTLP over HTTP (JSON) at /v1/traces; no trace is made when unset",
    schema: secret("otlp-endpoint", (text) => /^https?:\/\//.test(text) && URL.canParse(text))
  }),
  traceHeaders: variable({
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    meaning: "headers for the collector, name=value separated by commas, values percent-encoded",
    schema: secret("otlp-headers", (text) => parseHeaders(text) !== undefined)
  }),
  traceRatio: variable({
    name: "OTEL_TRACES_SAMPLER_ARG",
    meaning: "the share of requests and fillings that are traced, 0 to 1; a caller's traceparent does not change it",
    schema: Ratio,
    fallback: "0.1"
  }),
  traceServiceName: variable({
    name: "OTEL_SERVICE_NAME",
    meaning: "the service's name in traces",
    schema: Schema.NonEmptyString,
    fallback: service
  })
})

/** Reads each variable on its own, so that all problems are reported at once. */
export const readObservability = (variables: ReturnType<typeof observabilityVariables>) => ({
  accessRatio: read(variables.accessRatio),
  traceEndpoint: readOptional(variables.traceEndpoint),
  traceHeaders: readOptional(variables.traceHeaders),
  traceRatio: read(variables.traceRatio),
  traceServiceName: read(variables.traceServiceName)
})

export interface TraceSettings {
  /** Undefined when there are no traces. */
  readonly traceEndpoint: Redacted.Redacted | undefined
  readonly traceHeaders: Redacted.Redacted | undefined
  readonly traceRatio: number
  readonly traceServiceName: string
}

interface Target {
  readonly url: string
  readonly headers: Headers
}

/** The URL for traces. Its credentials move into a header. */
export const targetOf = (endpoint: Redacted.Redacted, headers: Redacted.Redacted | undefined): Target => {
  const url = new URL(Redacted.value(endpoint))
  const basic = url.username === "" && url.password === ""
    ? {}
    : {
      authorization: `Basic ${
        Buffer.from(`${decoded(url.username) ?? ""}:${decoded(url.password) ?? ""}`).toString("base64")
      }`
    }
  url.username = ""
  url.password = ""
  url.pathname = `${url.pathname.replace(/\/+$/u, "")}/v1/traces`
  return {
    url: url.toString(),
    headers: { ...basic, ...(headers === undefined ? {} : parseHeaders(Redacted.value(headers))) }
  }
}
