/**
 * Carries out the steps of a quote with a wallet, in order, each item once. What was sent is never sent again: when
 * something fails, the error says so, and the request's state tells what came of it.
 */
import type { SignatureStep } from "../../../src/domain/quote/wire/Step.ts"
import { ClientError } from "./ClientError.ts"
import type { Answer } from "./Operations.ts"
import { call, reach, refusalOf } from "./Requests.ts"
import type { Service } from "./Requests.ts"
import { track } from "./Track.ts"
import type { IntentStatus, TrackOptions } from "./Track.ts"
import type { Wallet } from "./Wallet.ts"

/** The answer of POST /quote. */
export type Quote = Answer<"POST /quote">
/** A step of a quote. */
export type QuoteStep = Quote["steps"][number]

/** How a quote is carried out. */
export interface ExecuteOptions extends TrackOptions {
  /** Called when an item was sent or signed. `id`: the transaction's. */
  readonly onSent?: ((step: QuoteStep, id: string | undefined) => void) | undefined
  /** Called with every state of the request, from the first item on. */
  readonly onStatus?: ((status: IntentStatus) => void) | undefined
}

/** The id under which the request of a quote is tracked. */
export const requestIdOf = ({ steps }: Quote): string => {
  const [first] = steps
  if (first === undefined) throw new ClientError({ kind: "unverified", message: "the quote has no steps" })
  return first.requestId
}

const asked = async <A>(what: string, act: () => Promise<A>): Promise<A> => {
  try {
    return await act()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ClientError({ kind: "wallet", message: `${what}: ${reason}`, cause })
  }
}

const post = async (
  service: Service,
  { post: { body, endpoint } }: SignatureStep["items"][number]["data"],
  signature: string,
  signal: AbortSignal | undefined
): Promise<void> => {
  // SECURITY: only paths of the service itself, so that no quote can have a signature sent elsewhere.
  if (!/^\/[A-Za-z0-9]/.test(endpoint)) {
    throw new ClientError({ kind: "unverified", message: `the signature would go to ${endpoint}` })
  }
  const response = await reach(service, `${endpoint}?signature=${encodeURIComponent(signature)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: signal ?? null
  })
  if (!response.ok) throw await refusalOf(response)
  response.body?.cancel().catch(() => undefined)
}

/** Returns what ends the quote: ids of transactions that are on their way. */
const carryOut = async (
  service: Service,
  quote: Quote,
  wallet: Wallet,
  { onSent, signal }: ExecuteOptions
): Promise<ReadonlyArray<string>> => {
  const underway: Array<string> = []
  for (const step of quote.steps) {
    if (step.kind === "signature") {
      const { sign } = wallet
      if (sign === undefined) {
        throw new ClientError({ kind: "wallet", message: `the wallet cannot sign what the step ${step.id} asks for` })
      }
      for (const { data } of step.items) {
        signal?.throwIfAborted()
        const signature = await asked(`signing for the step ${step.id}`, () => sign(data.sign))
        await post(service, data, signature, signal)
        onSent?.(step, undefined)
      }
      continue
    }
    for (const { check, data } of step.items) {
      signal?.throwIfAborted()
      const id = await asked(`sending for the step ${step.id}`, () => wallet.send(data))
      onSent?.(step, id)
      if (check !== undefined) underway.push(id)
      // What follows needs it on the chain.
      else await asked(`the step ${step.id}, ${id}`, () => wallet.succeeded(id))
    }
  }
  return underway
}

const untilEnd = async (service: Service, requestId: string, options: ExecuteOptions): Promise<IntentStatus> => {
  let last: IntentStatus | undefined
  for await (const status of track(service, requestId, options)) {
    options.onStatus?.(status)
    last = status
  }
  if (last === undefined) throw new ClientError({ kind: "unreachable", message: "the request has no state" })
  return last
}

/** A send is named to the service once it was made: within an exchange nobody lists it, so that it would wait. */
const nameSend = async (service: Service, quote: Quote, txHash: string, signal: AbortSignal): Promise<void> => {
  if (quote.steps.every(({ id }) => id !== "send")) return
  const { chainId } = quote.details.currencyIn.currency
  await call(service, "POST /transactions/index", { body: { txHash, chainId } }, { signal }).catch(() => undefined)
}

/** Never resolves. Rejects when a transaction has failed on its chain: then the service waits for nothing. */
const failureOf = async (
  service: Service,
  quote: Quote,
  wallet: Wallet,
  ids: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<never> => {
  await Promise.all(ids.map(async (id) => {
    await asked(id, () => wallet.succeeded(id))
    await nameSend(service, quote, id, signal)
  }))
  return await new Promise<never>(() => undefined)
}

/** Sends the steps and tracks the request to its end: `success`, `refund` or `failure`. */
export const execute = async (
  service: Service,
  quote: Quote,
  wallet: Wallet,
  options: ExecuteOptions
): Promise<IntentStatus> => {
  const requestId = requestIdOf(quote)
  const before = await call(service, "GET /intents/status", { query: { requestId } }, { signal: options.signal })
  if (before.status !== "waiting") {
    throw new ClientError({ kind: "paid", message: `the request is ${before.status}: it would be paid again` })
  }
  const ids = await carryOut(service, quote, wallet, options)
  const tracking = new AbortController()
  const signal = options.signal === undefined ? tracking.signal : AbortSignal.any([options.signal, tracking.signal])
  try {
    return await Promise.race([
      untilEnd(service, requestId, { ...options, signal }),
      failureOf(service, quote, wallet, ids, signal)
    ])
  } finally {
    tracking.abort()
  }
}
