/**
 * Webhooks over HTTP (WEBHOOK-4). The name is resolved once, every address of it is judged, and the sender connects to
 * a judged address. Nothing is resolved between judgement and connection, so a second DNS answer cannot redirect it.
 *
 * Not fetch, and no pool: each webhook has its own connection, which follows no redirect, ignores proxy settings of the
 * environment, and is closed as soon as the status is known. SECURITY: nothing of an answer's body is kept.
 */
import { Effect, Layer, Result } from "effect"
import { lookup } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import { Client } from "undici"
import { WebhookSender } from "../../ports/webhook/WebhookSender.ts"
import { addressRange, isAddress } from "../../src/domain/webhook/AddressRange.ts"
import type { SendFailure, SendOutcome } from "../../src/domain/webhook/WebhookOutcome.ts"
import { hostOf, mayReach, parseWebhookUrl } from "../../src/domain/webhook/WebhookUrl.ts"
import type { WebhookReach } from "../../src/domain/webhook/WebhookUrl.ts"

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Every address of a name. Rejects when there is none. */
export type Resolve = (host: string) => Promise<ReadonlyArray<ResolvedAddress>>

export interface SenderOptions {
  readonly reach: WebhookReach
  /** Default: the system's resolver. */
  readonly resolve?: Resolve
  /** Milliseconds for the whole sending, name resolution included. Default 10 seconds. */
  readonly deadline?: number
  /** A certificate authority besides the system's, as PEM. */
  readonly ca?: string
}

const failed = (failure: SendFailure): SendOutcome => ({ _tag: "Failed", failure })

/** Always the one judged address, in whichever form the socket asks for it. */
const pinned = ({ address, family }: ResolvedAddress): LookupFunction => (_host, options, callback) => {
  if (options.all === true) callback(null, [{ address, family }])
  else callback(null, address, family)
}

const TLS = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_SSL_|EPROTO)/u

/** The kind of a failure, by Node's error code. */
const failureOf = (error: unknown): SendFailure => {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
  if (TLS.test(code)) return "tls"
  return code === "UND_ERR_CONNECT_TIMEOUT" || code === "UND_ERR_HEADERS_TIMEOUT" ? "timeout" : "unreachable"
}

const systemResolve: Resolve = (host) => lookup(host, { all: true })

export const layer = ({ ca, deadline = 10_000, reach, resolve = systemResolve }: SenderOptions) => {
  const judged = async (host: string): Promise<ResolvedAddress | SendFailure> => {
    const addresses = isAddress(host)
      ? [{ address: host, family: host.includes(":") ? 6 : 4 }]
      : await resolve(host).catch(() => [])
    const [first] = addresses
    if (first === undefined) return "unknown-host"
    // One address that is not public is enough to refuse: such a name is an attack, or its target would be luck.
    return addresses.every(({ address }) => mayReach(reach, addressRange(address))) ? first : "refused-address"
  }

  const post = async (
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal
  ): Promise<SendOutcome> => {
    const address = await judged(hostOf(url))
    if (typeof address === "string") return failed(address)
    signal.throwIfAborted()
    const client = new Client(url.origin, {
      connect: { lookup: pinned(address), timeout: deadline, ...(ca === undefined ? {} : { ca }) },
      allowH2: false,
      maxHeaderSize: 16_384
    })
    try {
      const { body: answer, statusCode } = await client.request({
        path: `${url.pathname}${url.search}`,
        method: "POST",
        headers,
        body,
        signal
      })
      // The body is not read, but its error needs a handler, or it would end the process.
      answer.on("error", () => undefined)
      return { _tag: "Answered", status: statusCode }
    } catch (error) {
      return failed(failureOf(error))
    } finally {
      void client.destroy().catch(() => undefined)
    }
  }

  const send: WebhookSender["Service"]["send"] = (text, headers, body) =>
    Effect.suspend(() => {
      const url = parseWebhookUrl(reach, text)
      return Result.isFailure(url)
        ? Effect.succeed(failed("refused-address"))
        : Effect.promise((signal) => post(url.success, headers, body, signal).catch(() => failed("unreachable")))
    }).pipe(
      Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.succeed(failed("timeout")) })
    )

  return Layer.succeed(WebhookSender, WebhookSender.of({ send }))
}
