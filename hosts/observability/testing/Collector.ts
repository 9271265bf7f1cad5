/** A trace collector like a vendor's: accepts OTLP/JSON over HTTP, decodes all of it, and stores it. */
import { Effect, Schema } from "effect"
import { createServer } from "node:http"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"

const Value = Schema.Struct({
  stringValue: Schema.optionalKey(Schema.NullOr(Schema.String)),
  intValue: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Int, Schema.String]))),
  doubleValue: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  boolValue: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  arrayValue: Schema.optionalKey(Schema.Unknown),
  bytesValue: Schema.optionalKey(Schema.Unknown)
})
const Attributes = Schema.Array(Schema.Struct({ key: Schema.String, value: Value }))
const Id = (digits: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${digits}}$`)))
const Nanos = Schema.String.check(Schema.isPattern(/^\d+$/))

const Span = Schema.Struct({
  traceId: Id(32),
  spanId: Id(16),
  parentSpanId: Schema.optionalKey(Id(16)),
  name: Schema.String,
  kind: Schema.Int,
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  events: Schema.Array(Schema.Struct({ name: Schema.String, attributes: Attributes })),
  status: Schema.Struct({ code: Schema.Int, message: Schema.optionalKey(Schema.String) })
})

const Traces = Schema.Struct({
  resourceSpans: Schema.Array(Schema.Struct({
    resource: Schema.Struct({ attributes: Attributes }),
    scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
  }))
})
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Traces))

type OneSpan = typeof Span.Type

export interface CollectedSpan extends OneSpan {
  readonly service: string | undefined
}

export interface Collector {
  readonly url: string
  readonly spans: () => ReadonlyArray<CollectedSpan>
  /** Every body as it was sent. */
  readonly bodies: () => string
  readonly headers: () => ReadonlyArray<IncomingHttpHeaders>
  readonly paths: () => ReadonlyArray<string>
  /** Bodies that are not OTLP. */
  readonly faults: () => ReadonlyArray<string>
  /** Answers with this status from now on. */
  readonly answer: (status: number) => void
}

/** The text of an attribute. Undefined when the span has none of that name. */
export const attributeOf = ({ attributes }: OneSpan, name: string): string | undefined => {
  const value = attributes.find(({ key }) => key === name)?.value
  const found = value?.stringValue ?? value?.intValue ?? value?.doubleValue ?? value?.boolValue
  return found === undefined || found === null ? undefined : `${found}`
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk)
  return text
}

const make = () => {
  const requests: Array<{ readonly body: string; readonly headers: IncomingHttpHeaders; readonly path: string }> = []
  const spans: Array<CollectedSpan> = []
  const faults: Array<string> = []
  let status = 200
  const take = (body: string): void => {
    for (const { resource, scopeSpans } of decode(body).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? undefined
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push({ ...span, service })
    }
  }
  const answered = async (request: IncomingMessage): Promise<void> => {
    const body = await bodyOf(request)
    requests.push({ body, headers: request.headers, path: request.url ?? "" })
    if (status === 200) take(body)
  }
  const server = createServer((request, response) => {
    answered(request).catch((error: unknown) => {
      faults.push(String(error))
    }).finally(() => {
      response.writeHead(status, { "content-type": "application/json" }).end("{}")
    })
  })
  const collector = {
    spans: () => spans,
    bodies: () => requests.map(({ body }) => body).join("\n"),
    headers: () => requests.map(({ headers }) => headers),
    paths: () => requests.map(({ path }) => path),
    faults: () => faults,
    answer: (next: number) => {
      status = next
    }
  }
  return { server, collector }
}

/** Listens on its own port until the scope ends. */
export const startCollector = Effect.acquireRelease(
  Effect.callback<Collector & { readonly close: () => void }>((resume) => {
    const { collector, server } = make()
    const close = () => {
      server.close()
      server.closeAllConnections()
    }
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ ...collector, url: `http://127.0.0.1:${port}`, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
