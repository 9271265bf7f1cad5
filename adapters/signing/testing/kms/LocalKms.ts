/**
 * A KMS at the wire level: AWS's JSON protocol, SigV4 checked, and keys that really sign. It often gives answers that
 * are rare in practice: every other s is high, integers as short as a test asks for, throttling, outages, silence.
 *
 * Not AWS: it knows two actions and the permissions of one account.
 */
import { getPublicKey, utils } from "@noble/secp256k1"
import { Effect, Schema } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { nobleCurve } from "../../../../src/domain/encoding/NobleCurve.ts"
import { hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { GROUP_ORDER } from "../../kms/RecoverableSignature.ts"
import { publicKeyToDer, signatureToDer } from "./EncodeDer.ts"
import { shortSignature } from "./ShortSignature.ts"
import { sigV4Fault } from "./SigV4.ts"

/** The fault of the next answers, until it is ended. */
export type KmsFault =
  /** No fault: an r of 21 bytes, which happens once in 2^88. */
  | "short"
  | "throttled"
  | "internal"
  | "disabled"
  | "denied"
  | "garbage"
  | "silent"
  | "dropped"
  /** Signs with another key than the one it shows. */
  | "another-key"
  | "wrong-curve"
  | "encryption-key"
  | "no-point"

export interface LocalKms {
  readonly url: string
  readonly account: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly region: string }
  readonly keyId: string
  /** The private key: for this test only. */
  readonly secret: Uint8Array
  /** Applies to the next `times` answers, by default to all. Undefined ends the fault. */
  readonly fail: (fault: KmsFault | undefined, times?: number) => void
  /** The number of requests, of one action or in total. */
  readonly requests: (action?: "GetPublicKey" | "Sign") => number
  /** The number of signatures with a high s. */
  readonly highS: () => number
}

const Body = Schema.fromJsonString(Schema.Struct({
  KeyId: Schema.String,
  Message: Schema.optionalKey(Schema.String),
  MessageType: Schema.optionalKey(Schema.String),
  SigningAlgorithm: Schema.optionalKey(Schema.String)
}))

/** An error's name and status, as AWS has them. */
class KmsError extends Error {
  readonly type: string
  readonly status: number
  constructor(type: string, status = 400) {
    super(type)
    this.type = type
    this.status = status
  }
}

const rejections: { readonly [F in KmsFault]?: KmsError } = {
  throttled: new KmsError("ThrottlingException"),
  internal: new KmsError("KMSInternalException", 500),
  disabled: new KmsError("DisabledException"),
  denied: new KmsError("AccessDeniedException")
}

const halves = (compact: Uint8Array) => ({
  r: BigInt(hexFromBytes(compact.subarray(0, 32))),
  s: BigInt(hexFromBytes(compact.subarray(32)))
})

const serve = () => {
  const account = { accessKeyId: "AKIDLOCAL", secretAccessKey: "local/secret+key", region: "eu-central-1" }
  const keyId = "mrk-1234abcd12ab34cd56ef1234567890ab"
  const secret = utils.randomSecretKey()
  const other = utils.randomSecretKey()
  const counts = { GetPublicKey: 0, Sign: 0, refused: 0, highS: 0 }
  const state: { fault: KmsFault | undefined; left: number } = { fault: undefined, left: 0 }

  const next = (): KmsFault | undefined => {
    if (state.left === 0) return undefined
    state.left -= 1
    return state.fault
  }

  const publicKey = (fault: KmsFault | undefined) => {
    const point = getPublicKey(secret, false)
    return {
      KeyId: keyId,
      KeySpec: fault === "wrong-curve" ? "ECC_NIST_P256" : "ECC_SECG_P256K1",
      KeyUsage: fault === "encryption-key" ? "KEY_AGREEMENT" : "SIGN_VERIFY",
      SigningAlgorithms: ["ECDSA_SHA_256"],
      PublicKey: Buffer.from(
        publicKeyToDer(fault === "no-point" ? point.map((byte, index) => index < 33 ? byte : 1) : point)
      ).toString("base64")
    }
  }

  const sign = (body: typeof Body.Type, fault: KmsFault | undefined) => {
    const digest = Buffer.from(body.Message ?? "", "base64")
    if (body.MessageType !== "DIGEST" || body.SigningAlgorithm !== "ECDSA_SHA_256" || digest.length !== 32) {
      throw new KmsError("ValidationException")
    }
    const { r, s } = fault === "short"
      ? shortSignature(digest, secret)
      : halves(nobleCurve.sign(digest, fault === "another-key" ? other : secret).compact)
    const isHigh = counts.Sign % 2 === 0
    if (isHigh) counts.highS += 1
    return {
      KeyId: keyId,
      SigningAlgorithm: "ECDSA_SHA_256",
      Signature: Buffer.from(signatureToDer(r, isHigh ? GROUP_ORDER - s : s)).toString("base64")
    }
  }

  const act = async (request: IncomingMessage, fault: KmsFault | undefined): Promise<unknown> => {
    const action = String(request.headers["x-amz-target"]).replace("TrentService.", "")
    const sent = await text(request)
    if (action !== "GetPublicKey" && action !== "Sign") throw new KmsError("UnknownOperationException")
    counts[action] += 1
    const unsigned = sigV4Fault(request, sent, account)
    if (unsigned !== undefined) throw new KmsError(unsigned)
    const body = Schema.decodeUnknownSync(Body)(sent)
    if (body.KeyId !== keyId) throw new KmsError("NotFoundException")
    const rejection = fault === undefined ? undefined : rejections[fault]
    if (rejection !== undefined) throw rejection
    if (fault === "garbage") {
      return {
        Signature: "MAYCAQECAQE=",
        PublicKey: "AAAA",
        KeySpec: "ECC_SECG_P256K1",
        KeyUsage: "SIGN_VERIFY",
        SigningAlgorithms: ["ECDSA_SHA_256"]
      }
    }
    return action === "Sign" ? sign(body, fault) : publicKey(fault)
  }

  const server = createServer((request, response) => {
    const fault = next()
    if (fault === "silent") return
    if (fault === "dropped") return void request.socket.destroy()
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body))
    act(request, fault).then(
      (body) => answer(200, body),
      // Like AWS, with details that must never be visible: the account, the key.
      (error: unknown) =>
        error instanceof KmsError
          ? answer(error.status, {
            __type: error.type,
            message: `arn:aws:iam::111122223333:user/secret-name may not use ${keyId}`
          })
          : answer(500, { __type: "KMSInternalException" })
    )
  })
  const kms: Omit<LocalKms, "url"> = {
    account,
    keyId,
    secret,
    fail: (fault, times = Number.POSITIVE_INFINITY) => {
      state.fault = fault
      state.left = fault === undefined ? 0 : times
    },
    requests: (action) => action === undefined ? counts.GetPublicKey + counts.Sign : counts[action],
    highS: () => counts.highS
  }
  return { server, kms }
}

/** Ends with its scope. */
export const localKms = Effect.acquireRelease(
  Effect.callback<LocalKms & { readonly close: () => void }>((resume) => {
    const { kms, server } = serve()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({
        ...kms,
        url: `http://127.0.0.1:${port}`,
        close: () => {
          server.close()
          server.closeAllConnections()
        }
      }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
