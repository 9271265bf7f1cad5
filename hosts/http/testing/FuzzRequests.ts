/**
 * Requests generated from the OpenAPI document: valid ones, ones with a fault, and garbage. Everything comes from a
 * fast-check arbitrary, so a seed replays a run.
 */
import * as fc from "fast-check"
import type { ApiDocument, JsonSchema, Operation, Parameter } from "./ApiDocument.ts"

export interface FuzzRequest {
  readonly operation: Operation
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Knowledge of an API beyond its document, so that requests pass the first checks. */
export interface Hints {
  /** A valid text for a field's name. Undefined when nothing is known about it. */
  readonly textOf: (name: string) => fc.Arbitrary<string> | undefined
  /** Complete valid bodies of an operation, when its fields alone do not make one. */
  readonly bodyOf?: (operation: Operation) => fc.Arbitrary<unknown> | undefined
  /** For `Authorization: Bearer`, on secured operations. */
  readonly adminToken?: string
  /** For `x-api-key`, on operations that take one. */
  readonly apiKey?: string
  readonly chainIds: ReadonlyArray<number>
}

/** For the transfer service. */
export interface TransferHints {
  readonly chainIds: ReadonlyArray<number>
  readonly addresses: ReadonlyArray<string>
  /** Addresses that were quoted. */
  readonly depositAddresses: ReadonlyArray<string>
  readonly currencies: ReadonlyArray<string>
  readonly hashes: ReadonlyArray<string>
  readonly adminToken: string
  /** A key that the service knows. */
  readonly apiKey: string
}

const nonsenseText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "0",
    "-1",
    "1.5",
    "1e80",
    `1${"0".repeat(80)}`,
    "0x",
    "0xzz",
    "NaN",
    "null",
    "true",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "../../etc/passwd",
    "%00",
    "\u0000",
    "\ud800",
    "💸",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "${7*7}",
    "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    "11111111111111111111111111111111",
    "a".repeat(5000),
    "9".repeat(400)
  ),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 })
)

const nonsense: fc.Arbitrary<unknown> = fc.oneof(
  nonsenseText,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e80,
    -0,
    Number.MAX_SAFE_INTEGER,
    2 ** 53,
    {},
    [],
    [[[[]]]],
    { a: { b: {} } },
    { toString: 1 }
  ),
  fc.jsonValue({ maxDepth: 3 })
)

/** The texts of the transfer service's fields. */
export const transferHints = (known: TransferHints): Hints => ({
  chainIds: known.chainIds,
  adminToken: known.adminToken,
  apiKey: known.apiKey,
  textOf: (name) => {
    if (/currency$/i.test(name)) return fc.constantFrom(...known.currencies)
    if (/^(address|depositAddress)$/.test(name)) {
      return fc.constantFrom(...known.depositAddresses, ...known.depositAddresses, ...known.addresses.slice(0, 1))
    }
    if (/^(user|recipient|recoveryAddress|refundTo|referrerAddress|to|wallet)$/.test(name)) {
      return fc.constantFrom(...known.addresses)
    }
    if (/^(requestId|id|orderId|txHash)$/.test(name)) return fc.constantFrom(...known.hashes)
    if (/chainId$/i.test(name)) return fc.constantFrom(...known.chainIds.map(String))
    if (name === "amount") return fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String)
    if (/slippageTolerance$/i.test(name)) return fc.nat(12_000).map(String)
    if (name === "fee") return fc.nat(400).map(String)
    if (name === "value") return fc.constantFrom("0", "0", "1", "1000000")
    if (name === "data") return fc.constantFrom("0x", "0x", "0xa9059cbb", `0x${"ff".repeat(100)}`)
    if (name === "tx") return fc.constantFrom(...known.hashes).map((txHash) => JSON.stringify({ txHash }))
    if (name === "x-api-key") return fc.constant(known.apiKey)
    if (name === "url") {
      return fc.constantFrom("https://app.example/hook", "http://127.0.0.1:1/", "https://10.0.0.1/", "https://[::1]/")
    }
    if (name === "from") return fc.constantFrom("2026-11-01", "2026-11-30", "2026-02-30")
    if (name === "lowBalance") return fc.constantFrom("1", "5000000", "0")
    return name === "idempotency-key" ? fc.nat(40).map((key) => `key-${key}`) : undefined
  }
})

type Resolve = ApiDocument["resolve"]

const rightValue = (name: string, schema: JsonSchema, hints: Hints, resolve: Resolve): fc.Arbitrary<unknown> => {
  const { anyOf, enum: choices, items, properties, required = [], type } = resolve(schema)
  if (choices !== undefined && choices.length > 0) return fc.constantFrom(...choices)
  if (anyOf !== undefined && anyOf.length > 0) {
    return fc.oneof(...anyOf.map((each) => rightValue(name, each, hints, resolve)))
  }
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([key, member]) =>
      [key, rightValue(key, member, hints, resolve)] as const
    )
    // Few optional members at a time: many at once always contradict each other.
    const optional = members.map(([key]) => key).filter((key) => !required.includes(key))
    return fc.subarray(optional, { maxLength: Math.min(4, optional.length) }).chain((chosen) =>
      fc.record(Object.fromEntries(members.filter(([key]) => required.includes(key) || chosen.includes(key))))
    )
  }
  if (type === "integer" || type === "number") {
    return /chainId$/i.test(name) ? fc.constantFrom(...hints.chainIds) : fc.integer({ min: 1, max: 100_000 })
  }
  if (type === "boolean") return fc.boolean()
  if (type === "array") return fc.array(rightValue(name, items ?? {}, hints, resolve), { maxLength: 3 })
  return hints.textOf(name) ?? fc.string({ maxLength: 20 })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A valid body with some members replaced, removed or added. */
const spoiled = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(
    right,
    fc.array(fc.tuple(fc.nat(30), fc.constantFrom("replace", "remove", "add"), nonsense, nonsenseText), {
      minLength: 1,
      maxLength: 2
    })
  ).map(
    ([value, changes]) => {
      if (!isRecord(value)) return changes[0]?.[2]
      const entries = new Map(Object.entries(value))
      for (const [index, change, other, name] of changes) {
        const key = [...entries.keys()][index % Math.max(1, entries.size)] ?? name
        if (change === "remove") entries.delete(key)
        else entries.set(change === "add" ? name : key, other)
      }
      return Object.fromEntries(entries)
    }
  )

/** Not JSON at all, or not an object. */
const garbage = fc.oneof(
  nonsenseText,
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom(
    "{",
    "[",
    "{\"a\":",
    "{}}",
    "\"",
    "{\"__proto__\":{\"user\":1}}",
    "[".repeat(2000),
    "{\"amount\":1e999}",
    "\ufeff{}"
  )
)

const bodyOf = (operation: Operation, hints: Hints, resolve: Resolve): fc.Arbitrary<string | undefined> => {
  if (operation.body === undefined) return fc.constant(undefined)
  const right = hints.bodyOf?.(operation) ?? rightValue("body", operation.body, hints, resolve)
  return fc.oneof(
    { weight: 2, arbitrary: right.map((value) => JSON.stringify(value)) },
    { weight: 7, arbitrary: spoiled(right).map((value) => JSON.stringify(value) ?? "") },
    { weight: 1, arbitrary: garbage }
  )
}

/** Characters that fetch refuses in a header are not sent. */
const headerSafe = (text: string): string => text.replaceAll(/[^\u0020-\u007e]/g, "?")

/** Mostly no key or the known one: an unknown key hides everything else behind a 401. */
const apiKeyOf = ({ apiKey }: Hints): fc.Arbitrary<string | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 4, arbitrary: fc.constant(apiKey) }, {
    weight: 1,
    arbitrary: nonsenseText
  })

const parameterOf = (parameter: Parameter, hints: Hints, resolve: Resolve): fc.Arbitrary<string | undefined> =>
  parameter.name === "x-api-key" ? apiKeyOf(hints) : fc.oneof(
    { weight: 3, arbitrary: rightValue(parameter.name, parameter.schema, hints, resolve).map(String) },
    { weight: 2, arbitrary: nonsenseText },
    { weight: 1, arbitrary: fc.constant(undefined) }
  )

/** A path segment that can be sent: an empty one, or dots, would make another path. */
const segmentOf = (value = ""): string => {
  const segment = encodeURIComponent(value.toWellFormed()).slice(0, 200)
  return /^\.{0,2}$/.test(segment) ? "none" : segment
}

const someOf = (names: ReadonlyArray<string>) => fc.subarray([...names], { maxLength: Math.min(3, names.length) })

const requestOf = (operation: Operation, hints: Hints, resolve: Resolve): fc.Arbitrary<FuzzRequest> =>
  fc.tuple(
    fc.tuple(...operation.parameters.map((parameter) => parameterOf(parameter, hints, resolve))),
    // Few query parameters at a time: all at once always contradict each other.
    someOf(operation.parameters.flatMap(({ in: place, name }) => place === "query" ? [name] : [])),
    bodyOf(operation, hints, resolve),
    fc.constantFrom(
      "application/json",
      "application/json",
      "application/json",
      "application/json; charset=utf-8",
      "text/plain",
      "application/xml"
    ),
    fc.constantFrom(hints.adminToken ?? "none", hints.adminToken ?? "none", "wrong")
  ).map(([values, asked, body, contentType, token]) => {
    const query = new URLSearchParams()
    const headers: Record<string, string> = operation.isSecured ? { authorization: `Bearer ${token}` } : {}
    let path = operation.path
    for (const [index, { in: place, name }] of operation.parameters.entries()) {
      const value = values[index]
      if (place === "path") path = path.replace(`{${name}}`, segmentOf(value))
      else if (value !== undefined && place === "query") {
        if (asked.includes(name)) query.set(name, value.toWellFormed())
      } else if (value !== undefined) headers[name] = headerSafe(value)
    }
    if (body !== undefined) headers["content-type"] = contentType
    const search = query.toString()
    return { operation, url: search === "" ? path : `${path}?${search}`, headers, body }
  })

/** Operations with a body are generated four times as often as those without. */
export const fuzzRequests = ({ operations, resolve }: ApiDocument, hints: Hints): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    ...operations.map((operation) => ({
      weight: operation.body === undefined ? 1 : 4,
      arbitrary: requestOf(operation, hints, resolve)
    }))
  )
