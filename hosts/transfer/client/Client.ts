/**
 * A client of the transfer service's API: typed by its definition, on `fetch` alone, for browsers and servers.
 *
 * A quote is verified before it is given to the caller and again before it is paid, unless the caller renounces it in
 * words.
 */
import { ClientError } from "./ClientError.ts"
import { execute, requestIdOf } from "./Execute.ts"
import type { ExecuteOptions, Quote } from "./Execute.ts"
import type { Answer, Input, Operation } from "./Operations.ts"
import { call } from "./Requests.ts"
import type { CallOptions, Service } from "./Requests.ts"
import { track } from "./Track.ts"
import type { IntentStatus, TrackOptions } from "./Track.ts"
import type { Wallet } from "./Wallet.ts"

/** The body of POST /quote. Amounts are texts, in smallest units. */
export type QuoteRequest = Input<"POST /quote">["body"]

/** Rejects when paying by this quote would not do what the request asks for. */
export type QuoteVerifier = (quote: Quote, request: QuoteRequest) => Promise<void>

/** What a client is made from. */
export interface ClientOptions {
  /** Such as `https://api.example.com`. */
  readonly url: string
  /** `quoteVerifier(…)` of `causeway-kit/client/verify`. "trust the service": quotes are paid as they come. */
  readonly verify: QuoteVerifier | "trust the service"
  /** For sponsored quotes. Only on a server: who has it spends the sponsor's money. */
  readonly apiKey?: string | undefined
  /** In place of the global one. */
  readonly fetch?: typeof fetch | undefined
}

/** What a client can do. */
export interface Client {
  /** Any operation of the API: `call("GET /requests", { query: { user } })`. Rejects with a `ClientError`. */
  readonly call: <Name extends Operation>(
    operation: Name,
    input: Input<Name>,
    options?: CallOptions
  ) => Promise<Answer<Name>>
  /** A verified quote. Rejects with `unverified` when it does not do what was asked for. */
  readonly getQuote: (request: QuoteRequest, options?: CallOptions) => Promise<Quote>
  /**
   * Pays by a quote of `getQuote` and follows the request to its end. The wallet is asked for each item once. A quote is
   * paid once; a rejection of `wallet` says whether something was sent by the last call of `onSent`.
   */
  readonly execute: (quote: Quote, wallet: Wallet, options?: ExecuteOptions) => Promise<IntentStatus>
  /** The states of a request, from the current one to its end. */
  readonly track: (requestId: string, options?: TrackOptions) => AsyncGenerator<IntentStatus, void>
}

/** A client of one service. Makes no request by itself. */
export const createClient = (options: ClientOptions): Client => {
  const service: Service = {
    url: options.url,
    apiKey: options.apiKey,
    fetch: options.fetch ?? globalThis.fetch
  }
  /** What was asked for, by the quote that answers it. A quote is taken out when it is paid. */
  const known = new WeakMap<Quote, QuoteRequest>()
  const verify: QuoteVerifier = options.verify === "trust the service" ? () => Promise.resolve() : options.verify

  const getQuote: Client["getQuote"] = async (request, callOptions) => {
    const asked = options.verify === "trust the service" ? request : { ...request, includeProtocolData: true }
    const quote = await call(service, "POST /quote", { body: asked }, callOptions)
    await verify(quote, asked)
    known.set(quote, asked)
    return quote
  }

  return {
    getQuote,
    call: (operation, input, callOptions) => call(service, operation, input, callOptions),
    track: (requestId, trackOptions) => track(service, requestId, trackOptions),
    execute: async (quote, wallet, executeOptions = {}) => {
      const request = known.get(quote)
      if (request === undefined) {
        throw new ClientError({
          kind: "unverified",
          message: "only a quote that getQuote of this client returned is paid, and only once",
          requestId: requestIdOf(quote)
        })
      }
      known.delete(quote)
      await verify(quote, request)
      return await execute(service, quote, wallet, executeOptions)
    }
  }
}
