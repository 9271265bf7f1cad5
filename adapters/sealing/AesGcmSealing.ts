/**
 * The port `SecretSealing` by AES-256-GCM of node:crypto. Each sealing has a random nonce of 96 bits; the secret's
 * place and the key's id are its additional data. So few secrets are stored that nonces of one key do not collide.
 */
import { Effect, Layer, Redacted, Result } from "effect"
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { SecretSealing, SecretUnreadable } from "../../ports/signing/SecretSealing.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { isSealed, parseSealed, sealedText, SecretsKeyId } from "../../src/domain/secret/SealedText.ts"

const ALGORITHM = "aes-256-gcm"
const NONCE = 12
const TAG = 16

interface Key {
  readonly id: SecretsKeyId
  readonly bytes: Redacted.Redacted<Buffer>
}

/** The id is a hash with its own prefix. It reveals nothing about the key's 256 random bits. */
const keyOf = (key: Redacted.Redacted<Hex32>): Key => {
  const bytes = Buffer.from(Redacted.value(key).slice(2), "hex")
  const id = createHash("sha256").update("causeway secrets key\n").update(bytes).digest("hex").slice(0, 16)
  return { id: SecretsKeyId.make(id), bytes: Redacted.make(bytes) }
}

const boundTo = (id: SecretsKeyId, place: string) => Buffer.from(`causeway sealed 1\n${id}\n${place}`, "utf8")

const sealWith = ({ bytes, id }: Key, secret: string, place: string): string => {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv(ALGORITHM, Redacted.value(bytes), nonce, { authTagLength: TAG }).setAAD(
    boundTo(id, place)
  )
  const box = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
  return sealedText({ keyId: id, box: box.toString("base64url") })
}

const openWith = ({ bytes, id }: Key, box: Buffer, place: string): Result.Result<string, unknown> =>
  Result.try(() => {
    const decipher = createDecipheriv(ALGORITHM, Redacted.value(bytes), box.subarray(0, NONCE), { authTagLength: TAG })
      .setAAD(boundTo(id, place)).setAuthTag(box.subarray(-TAG))
    return Buffer.concat([decipher.update(box.subarray(NONCE, -TAG)), decipher.final()]).toString("utf8")
  })

const redacted = (secret: string) => Redacted.make(secret, { label: "stored-secret" })

/** The first key seals and opens, the others only open. Without keys, secrets are stored as they are. */
export const layer = (given: ReadonlyArray<Redacted.Redacted<Hex32>>): Layer.Layer<SecretSealing> => {
  const keys = given.map(keyOf)
  const [current] = keys
  return Layer.succeed(SecretSealing, {
    keys: keys.map(({ id }) => id),
    seal: (secret, place) =>
      Effect.sync(() =>
        current === undefined ? Redacted.value(secret) : sealWith(current, Redacted.value(secret), place)
      ),
    open: (stored, place) => {
      if (!isSealed(stored)) return Result.succeed(redacted(stored))
      const sealed = parseSealed(stored)
      const key = keys.find(({ id }) => id === sealed?.keyId)
      if (sealed === undefined) return Result.fail(new SecretUnreadable({ reason: "damaged", keyId: undefined }))
      if (key === undefined) return Result.fail(new SecretUnreadable({ reason: "key-unknown", keyId: sealed.keyId }))
      return openWith(key, Buffer.from(sealed.box, "base64url"), place).pipe(
        Result.map(redacted),
        Result.mapError(() => new SecretUnreadable({ reason: "damaged", keyId: sealed.keyId }))
      )
    }
  })
}
