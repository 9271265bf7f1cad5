/** AWS Signature Version 4, as a service checks it. Written from AWS's description, not from the client under test. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

export interface SigV4Account {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

const SERVICE = "kms"
const ALGORITHM = "AWS4-HMAC-SHA256"
const MAX_SKEW_MS = 5 * 60_000

const sha256 = (data: string): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest()

const header = ({ headers }: IncomingMessage, name: string): string =>
  [headers[name] ?? []].flat().join(",").trim().replaceAll(/ +/g, " ")

/** `20261121T232912Z` */
const timeOf = (stamp: string): number =>
  Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))

/** AWS's name for the fault of the request's signature. Undefined when there is none. */
export const sigV4Fault = (
  request: IncomingMessage,
  body: string,
  { accessKeyId, region, secretAccessKey }: SigV4Account
): string | undefined => {
  const parts = /^(\S+) Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    header(request, "authorization")
  )
  if (parts === null) return "MissingAuthenticationTokenException"
  const [, algorithm, credential = "", signedHeaders = "", signature = ""] = parts
  const stamp = header(request, "x-amz-date")
  const day = stamp.slice(0, 8)
  const scope = `${day}/${region}/${SERVICE}/aws4_request`
  if (!credential.startsWith(`${accessKeyId}/`)) return "UnrecognizedClientException"
  const names = signedHeaders.split(";")
  const covers = ["host", "x-amz-date", "x-amz-target"].every((name) => names.includes(name))
  if (algorithm !== ALGORITHM || credential !== `${accessKeyId}/${scope}` || !covers) {
    return "IncompleteSignatureException"
  }
  if (!(Math.abs(Date.now() - timeOf(stamp)) < MAX_SKEW_MS)) return "InvalidSignatureException"
  const canonical = [
    request.method,
    request.url,
    "",
    ...names.map((name) => `${name}:${header(request, name)}`),
    "",
    signedHeaders,
    sha256(body)
  ].join("\n")
  const key = [region, SERVICE, "aws4_request"].reduce(hmac, hmac(`AWS4${secretAccessKey}`, day))
  const expected = hmac(key, [ALGORITHM, stamp, scope, sha256(canonical)].join("\n"))
  return timingSafeEqual(expected, Buffer.from(signature, "hex")) ? undefined : "InvalidSignatureException"
}
