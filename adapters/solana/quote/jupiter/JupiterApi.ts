/**
 * The only way to call a server with the Jupiter swap interface: with a deadline, a bounded answer, and no redirects.
 *
 * SECURITY: the key is sent to the configured server only, and no text of its answers is passed on.
 */
import { Context, Redacted } from "effect"

/** The server of the swap interface, and the key that it requires. */
export class JupiterServer extends Context.Service<JupiterServer, {
  /** Base address, such as https://api.jup.ag/swap/v1. Undefined when there are no swaps. */
  readonly url: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
}>()("causeway/adapters/solana/JupiterServer") {}

/** The server gives no usable answer now. */
export class JupiterFault extends Error {
  readonly kind: "timeout" | "unreachable" | "refused"
  constructor(kind: "timeout" | "unreachable" | "refused") {
    super(kind)
    this.kind = kind
  }
}

const TIMEOUT_MS = 4_000
const MOST_BYTES = 262_144

const textOf = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const part of response.body ?? []) {
    const chunk: unknown = part
    if (!(chunk instanceof Uint8Array)) throw new JupiterFault("refused")
    size += chunk.length
    if (size > MOST_BYTES) throw new JupiterFault("refused")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new JupiterFault("refused")
  }
}

/** Undefined when the server says that it cannot do it (400, 404, 422). Throws `JupiterFault`. */
export const ask = async (
  { apiKey, url }: JupiterServer["Service"],
  path: string,
  body?: unknown
): Promise<unknown> => {
  const key = apiKey === undefined ? {} : { "x-api-key": Redacted.value(apiKey) }
  try {
    const response = await fetch(`${url ?? ""}${path}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "error",
      ...(body === undefined
        ? { headers: key }
        : { method: "POST", headers: { ...key, "content-type": "application/json" }, body: JSON.stringify(body) })
    })
    const text = await textOf(response)
    if (response.ok) return parsed(text)
    if (response.status === 400 || response.status === 404 || response.status === 422) return undefined
    throw new JupiterFault(response.status >= 500 || response.status === 429 ? "unreachable" : "refused")
  } catch (cause) {
    if (cause instanceof JupiterFault) throw cause
    throw new JupiterFault(cause instanceof DOMException && cause.name === "TimeoutError" ? "timeout" : "unreachable")
  }
}
