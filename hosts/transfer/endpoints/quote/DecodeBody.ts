/**
 * Decodes bodies of /quote and /price by the API's schema, without a look at each of the forty optional parameters that
 * a body does not have: the decoder of a body is that of the parameters in it. Gives what the whole schema gives, which a
 * property compares. Not for saying what is wrong with a body: the router does.
 */
import { Exit, Schema } from "effect"
import { quoteRequestOf } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import type { QuoteRequest } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import { payload, servedParameters } from "./QuoteApi.ts"

type Decode = (body: unknown) => Exit.Exit<QuoteRequest, Schema.SchemaError>

/** Clients send a few combinations each. Beyond this many, the whole schema decodes. */
const REMEMBERED = 256

const byWhole: Decode = Schema.decodeUnknownExit(payload)
const byParameters = new Map<string, Decode>()

const decoderOf = (body: object): Decode => {
  const key = Object.keys(body).join(" ")
  const known = byParameters.get(key)
  if (known !== undefined) return known
  if (byParameters.size >= REMEMBERED) return byWhole
  const made: Decode = Schema.decodeUnknownExit(
    quoteRequestOf(servedParameters.filter((name) => Object.hasOwn(body, name)))
  )
  byParameters.set(key, made)
  return made
}

/** Undefined for a body that is no request. */
export const decodeBody = (body: unknown): QuoteRequest | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const decoded = decoderOf(body)(body)
  return Exit.isSuccess(decoded) ? decoded.value : undefined
}
